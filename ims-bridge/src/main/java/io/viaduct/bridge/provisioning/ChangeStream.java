package io.viaduct.bridge.provisioning;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.Counter;
import io.viaduct.service.tls.HandshakeFailure;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// A stream of events from billing: a whole directory, then each change. It is opened again when it
/// ends. Its own virtual thread reads.
///
/// @param <E> the events
final class ChangeStream<E> implements AutoCloseable {
  private static final long PAUSE_MS_MIN = 100;
  private static final long PAUSE_MS_MAX = 2000;

  private final ManagedChannel billing;
  private final Supplier<Iterator<E>> opened;
  private final Reader<E> reader;
  private final Counter failures;
  private final Thread thread;
  private volatile Context.CancellableContext call = Context.ROOT.withCancellation();
  private volatile boolean current;
  private volatile boolean closed;
  private String lastFailure = ""; // used by the thread only

  /// Takes the events. Only the stream's thread calls it.
  interface Reader<E> {
    /// Handles an event before the directory is complete.
    ///
    /// @return whether it is complete now
    boolean stage(E event);

    /// Handles a change.
    void change(E event);

    /// Logs that the stream has ended, once for each reason; the last state stays in use.
    void failed(String why);
  }

  /// @param opened opens the stream; runs on the stream's thread
  /// @param failures counts streams that failed or ended
  ChangeStream(
      String name,
      ManagedChannel billing,
      Supplier<Iterator<E>> opened,
      Reader<E> reader,
      Counter failures) {
    this.billing = billing;
    this.opened = opened;
    this.reader = reader;
    this.failures = failures;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /// Returns whether the stream is open and its directory complete.
  boolean isCurrent() {
    return current;
  }

  private void run() {
    long pauseMs = PAUSE_MS_MIN;
    while (!closed) {
      Context.CancellableContext present = call;
      Context.CancellableContext attempt = present.withCancellation();
      Status ended;
      try {
        attempt.run(() -> read(opened.get()));
        ended = Status.UNAVAILABLE.withDescription("billing closed the stream");
      } catch (StatusRuntimeException e) {
        ended = e.getStatus();
      } catch (RuntimeException e) { // an event that breaks a rule must not end the thread
        ended = Status.INTERNAL.withDescription(String.valueOf(e.getMessage())).withCause(e);
      } finally {
        attempt.cancel(null); // billing must not go on with a stream that nothing reads
      }
      boolean completed = current;
      current = false;
      if (!present.isCancelled()) { // otherwise this end has ended the stream
        failed(ended);
      }
      pauseMs = completed ? PAUSE_MS_MIN : Math.min(PAUSE_MS_MAX, pauseMs * 2);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      billing.resetConnectBackoff(); // gRPC's own pauses grow to two minutes
    }
  }

  private void read(Iterator<E> events) {
    while (events.hasNext()) {
      E event = events.next();
      if (current) {
        reader.change(event);
      } else if (reader.stage(event)) {
        current = true;
        lastFailure = "";
      }
    }
  }

  /// Ends the present stream and opens another one at once.
  void again() {
    Context.CancellableContext present = call;
    call = Context.ROOT.withCancellation();
    present.cancel(null);
    LockSupport.unpark(thread);
  }

  private void failed(Status status) {
    failures.increment();
    String why = status.getCode() + ": " + HandshakeFailure.reason(status.asException());
    if (!why.equals(lastFailure)) {
      lastFailure = why;
      reader.failed(why);
    }
  }

  /// Ends the stream.
  @Override
  public void close() {
    closed = true;
    call.cancel(null);
    LockSupport.unpark(thread);
  }
}
