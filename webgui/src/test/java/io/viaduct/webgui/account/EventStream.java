package io.viaduct.webgui.account;

import io.viaduct.webgui.Visitor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A visitor's live page: what its EventSource would have received so far.
public final class EventStream implements AutoCloseable {
  /// One event: its name and the lines of its data.
  public record Event(String name, String data) {}

  private final HttpResponse<java.io.InputStream> response;
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private volatile boolean ended;

  private EventStream(HttpResponse<java.io.InputStream> response) {
    this.response = response;
    Thread.ofVirtual().start(this::read);
  }

  public static EventStream open(Visitor visitor, String path) {
    try {
      return new EventStream(
          visitor
              .http()
              .send(
                  visitor.request(path, "Accept", "text/event-stream").GET().build(),
                  BodyHandlers.ofInputStream()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public int status() {
    return response.statusCode();
  }

  public List<Event> events() {
    return events;
  }

  public boolean ended() {
    return ended;
  }

  private void read() {
    StringBuilder data = new StringBuilder();
    String name = "";
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("event:")) {
          name = line.substring(6).strip();
        } else if (line.startsWith("data:")) {
          data.append(line.substring(5)).append('\n');
        } else if (line.isEmpty() && !name.isEmpty()) {
          events.add(new Event(name, data.toString()));
          name = "";
          data.setLength(0);
        }
      }
    } catch (IOException e) {
      // Closed by the test, or the server stopped: both end the stream.
    } finally {
      ended = true;
    }
  }

  @Override
  public void close() {
    try {
      response.body().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
