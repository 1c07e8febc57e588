//! What every domain must satisfy.
