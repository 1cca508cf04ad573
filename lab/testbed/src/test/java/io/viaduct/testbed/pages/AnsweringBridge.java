package io.viaduct.testbed.pages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// Answers the two lists of a bridge that the pages show, for pictures: relays that carry traffic
/// and devices that are registered need a laboratory. The test of the demonstration has a real
/// bridge.
final class AnsweringBridge implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String[] REGIONS = {"Roma", "Kraków", "Suwon"};

  private final HttpServer server;
  private final Instant now;

  AnsweringBridge(Instant now) throws IOException {
    this.now = now;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v1/snapts", exchange -> answer(exchange, Map.of("snapts", snapts())));
    server.createContext("/api/v1/registrations", exchange -> answer(exchange, registrations()));
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private static void answer(HttpExchange exchange, Map<String, ?> body) throws IOException {
    try (exchange) {
      byte[] json = JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, json.length);
      exchange.getResponseBody().write(json);
    }
  }

  private List<Map<String, Object>> snapts() {
    List<Map<String, Object>> snapts = new ArrayList<>();
    for (int i = 0; i < REGIONS.length; i++) {
      Map<String, Object> snapt = new LinkedHashMap<>();
      snapt.put("id", "snapt-" + (i + 1));
      snapt.put("host", "203.0.113." + (11 + i));
      snapt.put("controlPort", 443);
      snapt.put("dataPort", 4500);
      snapt.put("region", REGIONS[i]);
      snapt.put("owner", "operator");
      snapt.put("epoch", 3);
      snapt.put("sessions", 314 >> i);
      snapt.put("sessionsLimit", 1000);
      snapt.put("upBitPerSecond", 61_200_000.0 / (i + 1));
      snapt.put("downBitPerSecond", 418_300_000.0 / (i + 1));
      snapt.put("reportsPending", i);
      snapt.put("version", "0.1.0");
      snapt.put("datagramsRefused", 17 * i);
      snapt.put("duplicatesRefused", i == 2 ? 1 : 0);
      snapt.put("duplicateFrom", i == 2 ? "198.51.100.7" : null);
      snapt.put("seenAt", now.minusSeconds(i == 2 ? 200 : 2).toString());
      snapt.put("state", i == 2 ? "stale" : "up");
      snapts.add(snapt);
    }
    return snapts;
  }

  private Map<String, Object> registrations() {
    List<Map<String, Object>> contacts = new ArrayList<>();
    for (String user : List.of("alice", "alice", "bob", "carla")) {
      int port = 40_000 + 17 * contacts.size();
      Map<String, Object> contact = new LinkedHashMap<>();
      contact.put("user", user);
      contact.put("contact", "sip:" + user + "@192.0.2." + (20 + contacts.size()) + ":" + port);
      contact.put("source", "udp 192.0.2." + (20 + contacts.size()) + ":" + port);
      contact.put("registeredAt", now.minusSeconds(1800).toString());
      contact.put("expiresAt", now.plusSeconds(5400).toString());
      contacts.add(contact);
    }
    Map<String, Object> page = new LinkedHashMap<>();
    page.put("registrations", contacts);
    page.put("total", contacts.size());
    page.put("next", null);
    return page;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
