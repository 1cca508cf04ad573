package io.viaduct.testbed.traffic;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// HTTP server of [EnglishText]: `GET /text?seed=1&bytes=1000&rate=100000000`, paced to `rate`
/// bit/s (0 = as fast as the path allows).
public final class TextServer {
  private static final int CHUNK_BYTES = 32 * 1024;

  private final LongSupplier nanoTime;

  private TextServer(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// Listens and serves until the process ends. Must be called on a thread inside the namespace.
  public static void start(String address, int port, LongSupplier nanoTime) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(address, port), 64);
    server.createContext("/text", new TextServer(nanoTime)::text);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  private void text(HttpExchange exchange) throws IOException {
    Map<String, Long> query =
        Stream.of(exchange.getRequestURI().getQuery().split("&"))
            .map(pair -> pair.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> Long.parseLong(pair[1])));
    var text = new EnglishText(query.getOrDefault("seed", 1L));
    long left = query.getOrDefault("bytes", 1000L);
    long rate = query.getOrDefault("rate", 0L);
    exchange.getResponseHeaders().set("Content-Type", "text/plain");
    exchange.sendResponseHeaders(200, left);
    long startNs = nanoTime.getAsLong();
    long sent = 0;
    try (var out = exchange.getResponseBody()) {
      while (left > 0) {
        byte[] chunk = new byte[(int) Math.min(left, CHUNK_BYTES)];
        text.fill(chunk);
        out.write(chunk);
        left -= chunk.length;
        sent += chunk.length;
        if (rate > 0) {
          long dueNs = startNs + sent * 8_000_000_000L / rate;
          LockSupport.parkNanos(dueNs - nanoTime.getAsLong());
        }
      }
    }
  }
}
