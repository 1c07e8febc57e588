//! The examples of the paper: what its figures show of each strategy.
