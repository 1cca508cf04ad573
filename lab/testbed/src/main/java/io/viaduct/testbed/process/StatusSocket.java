package io.viaduct.testbed.process;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Reads the status of an agent or a SNAPT from its Unix socket.
public final class StatusSocket {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String REQUEST =
      "GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private StatusSocket() {}

  /// Returns the body of `/status`.
  public static JsonNode read(Path socket) throws IOException {
    try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      channel.write(ByteBuffer.wrap(REQUEST.getBytes(StandardCharsets.US_ASCII)));
      String answer =
          new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
      int body = answer.indexOf("\r\n\r\n");
      if (body < 0 || !answer.startsWith("HTTP/1.1 200")) {
        throw new IOException(socket + " answered " + answer.lines().findFirst().orElse("nothing"));
      }
      return JSON.readTree(answer.substring(body + 4));
    }
  }
}
