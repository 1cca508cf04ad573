package io.viaduct.webgui.account;

import io.viaduct.webgui.WebguiConfiguration.Limits;
import io.viaduct.webgui.account.LiveSignal.Next;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Carries one account's changes from billing to one browser: opens billing's event stream, then
/// writes the changed parts of the page until either side, the session or the lifetime ends. Runs
/// on the request's own virtual thread, with a second one that reads billing.
final class LiveRelay {
  // A browser that went away is noticed at the second write after it: within twice this.
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);
  private static final String RETRY_AND_OPEN = "retry: 2000\n\n";

  private final Billing billing;
  private final Limits limits;
  private final InstantSource clock;

  LiveRelay(Billing billing, Limits limits, InstantSource clock) {
    this.billing = billing;
    this.limits = limits;
    this.clock = clock;
  }

  /// @param html the changed parts of the page, in their present state
  void run(
      SignedIn visitor,
      String account,
      LiveSignal signal,
      HttpServletResponse response,
      Supplier<String> html) {
    try (InputStream events = billing.events(visitor.token(), account)) {
      Thread reader = Thread.ofVirtual().start(() -> read(events, signal));
      try {
        response.setContentType("text/event-stream;charset=UTF-8");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Accel-Buffering", "no"); // nginx would hold events back
        relay(visitor, signal, response.getOutputStream(), html);
      } finally {
        reader.interrupt();
      }
    } catch (IOException e) {
      // The browser left or billing's stream broke on closing: both are how a stream ends.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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

  private void relay(
      SignedIn visitor, LiveSignal signal, OutputStream browser, Supplier<String> html)
      throws IOException, InterruptedException {
    Instant end = clock.instant().plus(limits.streamLifetime());
    write(browser, RETRY_AND_OPEN);
    while (clock.instant().isBefore(end)) {
      if (!clock.instant().isBefore(visitor.until())) {
        write(browser, event("ended", ""));
        return;
      }
      switch (signal.await(KEEP_ALIVE)) {
        case UPDATE -> {
          if (!update(browser, html)) {
            return;
          }
          signal.gather(limits.liveInterval());
        }
        case QUIET -> write(browser, ": quiet\n\n");
        case SESSION_ENDED -> {
          write(browser, event("ended", ""));
          return;
        }
        case PAUSED -> {
          write(browser, event("paused", ""));
          return;
        }
        case DISCONNECTED -> {
          return;
        }
      }
    }
  }

  /// False if there is no state to show, which ends the stream.
  private static boolean update(OutputStream browser, Supplier<String> html) throws IOException {
    try {
      write(browser, event("update", html.get()));
      return true;
    } catch (SessionEndedException e) {
      write(browser, event("ended", ""));
      return false;
    } catch (PeerAwayException | PeerRefusedException e) {
      return false;
    }
  }

  private static String event(String name, String data) {
    return data.lines()
        .map(line -> "data: " + line + "\n")
        .collect(
            Collectors.joining("", "event: " + name + "\n", data.isEmpty() ? "data: \n\n" : "\n"));
  }

  private static void write(OutputStream browser, String text) throws IOException {
    browser.write(text.getBytes(StandardCharsets.UTF_8));
    browser.flush();
  }
}
