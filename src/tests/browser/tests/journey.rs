//! Journeys through the pages in a real browser.

#[cfg(test)]
mod journeys;
#[cfg(test)]
mod support;
