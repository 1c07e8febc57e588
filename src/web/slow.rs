//! Connections to slow clients: one that takes nothing for a while is cut, so that it holds neither memory nor a place.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Longest time in which a client takes nothing of an answer.
pub(super) const STALL: Duration = Duration::from_secs(30);

/// Accepts connections, and cuts those whose client takes nothing for this time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience(pub(super) Duration);

/// Connection that is cut when its client takes nothing.
#[derive(Debug)]
pub(super) struct Patient<I> {
    stream: I,
    limit: Duration,
    /// Runs while a write waits for the client.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<I, S> Accept<I, S> for Patience {
    type Stream = Patient<I>;
    type Service = S;
    type Future = std::future::Ready<io::Result<(Patient<I>, S)>>;

    fn accept(&self, stream: I, service: S) -> Self::Future {
        std::future::ready(Ok((Patient { stream, limit: self.0, timer: None }, service)))
    }
}

impl<I> Patient<I> {
    /// Returns the result of a write, or an error once writes have waited too long.
    fn judged<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        if timer.as_mut().poll(cx).is_ready() {
            // A further write must not wait again.
            timer.as_mut().reset(Instant::now());
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing")));
        }
        Poll::Pending
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Patient<I> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Patient<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judged(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.judged(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.judged(cx, ended)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.judged(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_cut_and_a_slow_one_is_not() {
        let accept = async |limit: Duration| {
            let (near, far) = duplex(16);
            let (stream, ()) = Patience(limit).accept(near, ()).await.unwrap();
            (stream, far)
        };
        let (mut stream, _far) = accept(Duration::from_millis(200)).await;
        let began = std::time::Instant::now();
        assert_eq!(stream.write_all(&[0; 64]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(Duration::from_millis(150) < began.elapsed());
        // Some bytes now and then are enough.
        let (mut stream, mut far) = accept(Duration::from_millis(500)).await;
        let reader = tokio::spawn(async move {
            let mut got = [0; 8];
            for _ in 0..8 {
                tokio::time::sleep(Duration::from_millis(150)).await;
                far.read_exact(&mut got).await.unwrap();
            }
        });
        stream.write_all(&[0; 64]).await.unwrap();
        reader.await.unwrap();
    }
}
