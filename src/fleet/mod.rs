//! Fleet: runs on other machines, over a broker (NATS JetStream).
//!
//! In reading order: [`settings`]: address and credentials of the broker. [`message`]: what is sent. `seal`: its encryption.
//! `broker`: streams, objects and their names. [`dispatcher`]: the server's side. [`agent`]: the side of the other machines.
//! [`cell`], [`cells`]: measurements of a bench in the same queue. [`binary`]: builds are told apart by it.
//!
//! **Invariants:** the database of the server is the truth about runs; the broker may lose everything. Nothing that an agent
//! sends is shown before this server has certified it ([`crate::run::claim`]).

pub mod agent;
pub mod binary;
mod broker;
pub mod cell;
pub mod cells;
pub mod dispatcher;
mod link;
pub mod message;
mod objects;
pub mod registry;
mod seal;
pub mod settings;
