package io.viaduct.testbed.process;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/// A plain GET on the calling thread, so that it leaves from the namespace of that thread. Never
/// reuses a connection: the same address means different hosts in different namespaces.
public final class HttpProbe {
  private static final int TIMEOUT_MS = 5000;

  private HttpProbe() {}

  /// Status code, or 0 when nothing answers.
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

  /// The body of a 200.
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
