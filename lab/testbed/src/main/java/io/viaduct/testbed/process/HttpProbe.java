package io.viaduct.testbed.process;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/// Sends a plain GET from the calling thread, and so from that thread's namespace. Connections are
/// never reused, because the same address means different hosts in different namespaces.
public final class HttpProbe {
  private static final int TIMEOUT_MS = 5000;

  private HttpProbe() {}

  /// Returns the status code, or 0 without an answer.
  public static int status(String uri) {
    try {
      HttpURLConnection connection = open(uri);
      try {
        return connection.getResponseCode();
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return 0;
    }
  }

  /// Returns the body of an answer with status 200.
  public static String body(String uri) throws IOException {
    HttpURLConnection connection = open(uri);
    try (var in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      connection.disconnect();
    }
  }

  private static HttpURLConnection open(String uri) throws IOException {
    var connection = (HttpURLConnection) URI.create(uri).toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    connection.setRequestProperty("Connection", "close");
    connection.setUseCaches(false);
    return connection;
  }
}
