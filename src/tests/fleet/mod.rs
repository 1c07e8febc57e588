//! A fleet with real processes: broker, server and agents, which the tests kill, stop and restart.
//!
//! They need `nats-server` (`.ci/nats`). `FLEET_KILLS=200` is the long form of the random kills.

mod bench;
mod faults;
mod idle;
mod network;
mod parts;
mod process;
mod rights;
mod runs;
mod scripted;
mod trust;
