package io.viaduct.webgui.account;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.webgui.account.LiveSignal.Next;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.RefusedRequests;
import io.viaduct.webgui.login.RefusedRequests.Reason;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.SmartLifecycle;

/// All live pages that are open, by browser session; bounded. Owns the list and nothing else: each
/// stream's own threads do the work. Stops before the web server waits for running requests.
public final class LiveStreams implements HttpSessionListener, SmartLifecycle {
  private final Limits limits;
  private final RefusedRequests refused;
  private final Map<String, Deque<LiveSignal>> bySession = new HashMap<>(); // guarded by this
  private int open; // guarded by this
  private boolean running; // guarded by this

  public LiveStreams(Limits limits, RefusedRequests refused, MeterRegistry meters) {
    this.limits = limits;
    this.refused = refused;
    Gauge.builder("viaduct_webgui_live_streams", this, LiveStreams::count)
        .description("Open live pages")
        .strongReference(true)
        .register(meters);
    Gauge.builder("viaduct_webgui_live_streams_max", limits::streams)
        .description("Most live pages that may be open: limits.streams")
        .register(meters);
  }

  /// @throws StreamRefusedException above `limits.streams`, or while the process stops
  synchronized LiveSignal open(String session) {
    if (!running || open >= limits.streams()) {
      refused.count(Reason.STREAMS);
      throw new StreamRefusedException(
          "limits.streams of " + limits.streams() + " live pages are open");
    }
    Deque<LiveSignal> own = bySession.computeIfAbsent(session, _ -> new ArrayDeque<>());
    if (own.size() >= limits.streamsPerSession()) {
      // Mostly a page that was left and whose connection has not been noticed as dead yet.
      refused.count(Reason.STREAMS_OF_SESSION);
      own.removeFirst().onEnd(Next.PAUSED);
      open--;
    }
    LiveSignal signal = new LiveSignal();
    own.addLast(signal);
    open++;
    return signal;
  }

  synchronized void close(String session, LiveSignal signal) {
    Deque<LiveSignal> own = bySession.get(session);
    if (own != null && own.remove(signal)) {
      open--;
      if (own.isEmpty()) {
        bySession.remove(session);
      }
    }
  }

  synchronized int count() {
    return open;
  }

  @Override
  public synchronized void sessionDestroyed(HttpSessionEvent event) {
    Deque<LiveSignal> own = bySession.get(event.getSession().getId());
    if (own != null) {
      own.forEach(signal -> signal.onEnd(Next.SESSION_ENDED));
    }
  }

  @Override
  public synchronized void start() {
    running = true;
  }

  @Override
  public synchronized void stop() {
    running = false;
    bySession.values().forEach(own -> own.forEach(signal -> signal.onEnd(Next.DISCONNECTED)));
  }

  @Override
  public synchronized boolean isRunning() {
    return running;
  }
}
