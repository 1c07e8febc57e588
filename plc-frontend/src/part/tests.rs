//! What is cut out of projects, and how it runs.
