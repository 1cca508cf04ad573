package io.viaduct.webgui.account;

import io.viaduct.webgui.account.LiveSignal.Next;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/// Carries one account's changes from billing to one browser: it sends the changed parts of the
/// page until either side, the session or the lifetime ends. It has a virtual thread of its own,
/// and a second one that reads billing.
final class LiveRelay {
  // A browser that went away is noticed at the second write after it: within twice this.
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
  private static final long RETRY_MS = 2000;

  /// Stands for parts on the page that differ from any that are read.
  private static final String UNKNOWN = "";

  private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

  private final Limits limits;
  private final InstantSource clock;
  private final Supplier<Duration> quiet;

  LiveRelay(Limits limits, InstantSource clock) {
    this(limits, clock, LiveRelay::quiet);
  }

  /// @param quiet time without a change after which the passing parts are read
  LiveRelay(Limits limits, InstantSource clock, Supplier<Duration> quiet) {
    this.limits = limits;
    this.clock = clock;
    this.quiet = quiet;
  }

  // Half to one and a half times as long: pages that opened together do not read together for ever.
  private static Duration quiet() {
    long ms = KEEP_ALIVE.toMillis();
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(ms / 2, ms * 3 / 2));
  }

  /// Content that is sent, each time in its present state.
  ///
  /// @param changed the parts that a change at billing may touch
  /// @param passing the parts that also change without one, such as rates; empty if there are none
  ///   or if they cannot be read now
  record Parts(Supplier<String> changed, Supplier<String> passing) {}

  /// Sends until the stream ends.
  ///
  /// @param events billing's event stream, which is closed at the end
  void run(
      SignedIn visitor, InputStream events, LiveSignal signal, SseEmitter browser, Parts parts) {
    Thread reader = Thread.ofVirtual().start(() -> read(events, signal));
    try (events) {
      relay(visitor, signal, browser, parts);
    } catch (IOException | IllegalStateException e) {
      // The browser left or billing's stream broke on closing: both are how a stream ends.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      reader.interrupt();
      complete(browser);
    }
  }

  private static void complete(SseEmitter browser) {
    try {
      browser.complete();
    } catch (IllegalStateException e) {
      return; // the server has ended it before: its browser has gone
    }
  }

  private static void read(InputStream events, LiveSignal signal) {
    try {
      EventReader.read(events, signal::onChange);
    } catch (IOException e) {
      // Said below in either case: the browser asks again, and that request tells what is wrong.
    } finally {
      signal.onEnd(Next.DISCONNECTED);
    }
  }

  private void relay(SignedIn visitor, LiveSignal signal, SseEmitter browser, Parts parts)
      throws IOException, InterruptedException {
    Instant end = clock.instant().plus(limits.streamLifetime());
    String passing = UNKNOWN;
    browser.send(SseEmitter.event().reconnectTime(RETRY_MS));
    // Billing's stream begins with the balance: it and the first update are one read.
    signal.gather(limits.liveInterval());
    while (clock.instant().isBefore(end)) {
      if (!clock.instant().isBefore(visitor.until())) {
        send(browser, "ended", "");
        return;
      }
      switch (signal.await(quiet.get())) {
        case UPDATE -> {
          if (update(browser, parts.changed(), UNKNOWN).isEmpty()) {
            return;
          }
          passing = UNKNOWN; // the page shows those that came with the change
          signal.gather(limits.liveInterval());
        }
        case QUIET -> {
          Optional<String> sent = update(browser, parts.passing(), passing);
          if (sent.isEmpty()) {
            return;
          }
          passing = sent.get().isEmpty() ? passing : sent.get();
        }
        case SESSION_ENDED -> {
          send(browser, "ended", "");
          return;
        }
        case PAUSED -> {
          send(browser, "paused", "");
          return;
        }
        case DISCONNECTED -> {
          return;
        }
      }
    }
  }

  /// Sends parts if there are any and they are not as they were, else a comment: a write shows
  /// whether the browser is still there. Empty if there is no state to show, which ends the stream.
  private static Optional<String> update(SseEmitter browser, Supplier<String> html, String before)
      throws IOException {
    try {
      String now = html.get();
      if (now.isEmpty() || now.equals(before)) {
        browser.send(SseEmitter.event().comment("quiet"));
      } else {
        send(browser, "update", now);
      }
      return Optional.of(now);
    } catch (SessionEndedException e) {
      send(browser, "ended", "");
    } catch (PeerAwayException | PeerRefusedException e) {
      // The browser asks again, and that request tells what is wrong.
    }
    return Optional.empty();
  }

  private static void send(SseEmitter browser, String name, String data) throws IOException {
    // A line ends at CR too, and Spring continues the data at LF only.
    browser.send(SseEmitter.event().name(name).data(data.replaceAll("\\R", "\n"), TEXT));
  }
}
