package io.viaduct.billingbench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A JSON-RPC connection over TCP to a process on this machine, one call after the other. Requests
/// and answers are one object in a line each, as Go's `net/rpc/jsonrpc` has them.
final class JsonRpc implements AutoCloseable {
  private final Socket socket;
  private final OutputStream out;
  private final BufferedReader in;
  private int calls;

  JsonRpc(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    out = socket.getOutputStream();
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  /// Calls a method and waits for its result.
  ///
  /// @throws IOException if the answer is an error, or the connection ends
  JsonNode call(String method, Object parameters) throws IOException {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("method", method);
    request.put("params", List.of(parameters));
    request.put("id", ++calls);
    out.write(JsonMapper.shared().writeValueAsBytes(request));
    String line = in.readLine();
    if (line == null) {
      throw new IOException(method + " has no answer");
    }
    JsonNode answer = JsonMapper.shared().readTree(line);
    if (!answer.path("error").isNull()) {
      throw new IOException(method + ": " + answer.path("error").asString());
    }
    return answer.path("result");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
