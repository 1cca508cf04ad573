package io.viaduct.cnapt.naming;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/// A gateway with a captive portal of two hosts, as hotels have it:
///
///     any page of port 80 → http://portal.lab/login (the gateway) → http://login.lab/form (the log-in)
///
/// The form is a page of 100 kB at the address 203.0.113.9, and all pages are empty after its page
/// `/accept` was asked. It is also the network's resolver, with the arguments of [LabNameServer].
public final class LabPortal {
  private static final String LOG_IN = "203.0.113.9";
  private static final byte[] FORM = new byte[100_000];
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
      boolean isLogIn = exchange.getLocalAddress().getHostString().equals(LOG_IN);
      if (isLogIn && path.equals("/accept")) {
        PASSED.set(true);
      }
      if (PASSED.get()) {
        exchange.sendResponseHeaders(204, -1);
      } else if (isLogIn) {
        exchange.sendResponseHeaders(200, FORM.length);
        exchange.getResponseBody().write(FORM);
      } else {
        String to = path.equals("/login") ? "http://login.lab/form" : "http://portal.lab/login";
        exchange.getResponseHeaders().set("Location", to);
        exchange.sendResponseHeaders(302, -1);
      }
    }
  }

  /// Starts it behind a link, and gives it its addresses.
  public static Process start(int link) throws Exception {
    Process gateway =
        NamesScenario.gateway(link, LabPortal.class, "203.0.113.7", "login.lab=" + LOG_IN);
    for (String each : new String[] {"203.0.113.7", "203.0.113.8", LOG_IN}) {
      NamesScenario.shell(
          "nsenter --net --target %d ip address add %s/32 dev lo".formatted(gateway.pid(), each));
    }
    return gateway;
  }
}
