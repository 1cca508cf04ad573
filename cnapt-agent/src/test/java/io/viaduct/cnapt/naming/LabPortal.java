package io.viaduct.cnapt.naming;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/// A gateway with a captive portal: all pages of port 80 lead to `http://portal.lab/login` until
/// its page `/accept` is asked, and are empty afterwards. It is also the network's resolver: the
/// first argument is its address, the second the one that it says all names have.
public final class LabPortal {
  private static final AtomicBoolean PASSED = new AtomicBoolean();

  private LabPortal() {}

  public static void main(String[] arguments) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(80), 5);
    server.createContext("/", LabPortal::answer);
    server.start();
    LabNameServer.main(arguments);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      if (path.equals("/accept")) {
        PASSED.set(true);
      }
      if (path.equals("/generate_204") && !PASSED.get()) {
        exchange.getResponseHeaders().set("Location", "http://portal.lab/login");
        exchange.sendResponseHeaders(302, -1);
      } else {
        exchange.sendResponseHeaders(204, -1);
      }
    }
  }
}
