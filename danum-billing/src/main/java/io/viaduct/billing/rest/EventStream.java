package io.viaduct.billing.rest;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/// One open stream of server-sent events (WHATWG HTML, section 9.2). The stream's thread renders
/// and writes the changes that other threads offer. It writes a comment when nothing has changed
/// for 5 s, so that a closed connection is noticed. As often it looks whether the reader may still
/// read: a token may be revoked, an account suspended, an operator demoted.
final class EventStream {
  /// Most changes that wait for a slow reader.
  static final int QUEUE_MAX = 256;

  private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  /// A change of an account.
  ///
  /// @param chargeIds charges that were created or changed; empty if only the balance changed
  /// @param noticeIds notices of the account's credit
  record Change(String account, List<Long> chargeIds, List<Long> noticeIds) {
    static Change of(String account, Collection<Long> chargeIds) {
      return new Change(account, List.copyOf(chargeIds), List.of());
    }
  }

  /// The events that are written for one change.
  record Rendered(List<Charge> charges, List<NoticeView> notices, Balance balance) {}

  private final BlockingQueue<Change> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
  private final SseEmitter emitter;
  private final Function<Change, Rendered> render;
  private final BooleanSupplier mayRead;
  private final Thread thread;

  EventStream(SseEmitter emitter, Function<Change, Rendered> render, BooleanSupplier mayRead) {
    this.emitter = emitter;
    this.render = render;
    this.mayRead = mayRead;
    thread = Thread.ofVirtual().name("event-stream").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /// Runs the action once when the stream has ended, for whatever reason.
  void onEnd(Runnable action) {
    emitter.onCompletion(() -> {
      action.run();
      end();
    });
    emitter.onTimeout(emitter::complete);
  }

  /// Adds a change to the queue. Returns false if the queue is full.
  boolean offer(Change change) {
    return queue.offer(change);
  }

  void end() {
    thread.interrupt();
  }

  private void run() {
    try {
      long nextLook = System.nanoTime() + HEARTBEAT.toNanos();
      while (!Thread.currentThread().isInterrupted()) {
        Change change = queue.poll(nextLook - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (System.nanoTime() - nextLook >= 0) {
          if (!mayRead.getAsBoolean()) {
            LOG.debug("an event stream ends: its reader has lost the right");
            return;
          }
          nextLook = System.nanoTime() + HEARTBEAT.toNanos();
        }
        write(change);
      }
    } catch (InterruptedException e) {
      LOG.debug("an event stream ends");
    } catch (IOException | IllegalStateException e) {
      LOG.debug("the reader of an event stream has gone: {}", e.toString());
    } catch (RuntimeException e) {
      // The reader connects again and then gets the balance first.
      LOG.warn("an event stream failed: {}", e.toString());
    } finally {
      complete();
    }
  }

  private void complete() {
    try {
      emitter.complete();
    } catch (IllegalStateException e) {
      LOG.debug("the server has ended an event stream before: {}", e.toString());
    }
  }

  private void write(@Nullable Change change) throws IOException {
    if (change == null) {
      emitter.send(SseEmitter.event().comment("alive"));
      return;
    }
    Rendered rendered = render.apply(change);
    for (Charge charge : rendered.charges()) {
      emitter.send(
          SseEmitter.event()
              .id(charge.id())
              .name("charge")
              .data(charge, MediaType.APPLICATION_JSON));
    }
    for (NoticeView notice : rendered.notices()) {
      emitter.send(SseEmitter.event().name("credit").data(notice, MediaType.APPLICATION_JSON));
    }
    emitter.send(
        SseEmitter.event().name("balance").data(rendered.balance(), MediaType.APPLICATION_JSON));
  }
}
