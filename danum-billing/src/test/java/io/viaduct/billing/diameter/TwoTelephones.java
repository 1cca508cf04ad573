package io.viaduct.billing.diameter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Two telephones on loopback sockets: one calls the other through a proxy, which answers at once.
/// They speak the SIP of one call at a time.
final class TwoTelephones implements AutoCloseable {
  private static final String SDP =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n";

  private final InetSocketAddress proxy;
  private final DatagramSocket caller = open();
  private final DatagramSocket callee = open();

  /// Messages that the caller has got.
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

  private volatile String callId = "";

  private volatile boolean isClosed;

  TwoTelephones(InetSocketAddress proxy) {
    this.proxy = proxy;
    Thread.ofVirtual().start(() -> serve(caller, this::atCaller));
    Thread.ofVirtual().start(() -> serve(callee, this::atCallee));
  }

  private static DatagramSocket open() {
    try {
      DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"));
      socket.setSoTimeout(200);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Receiver {
    void got(String message) throws IOException;
  }

  private void serve(DatagramSocket socket, Receiver receiver) {
    DatagramPacket packet = new DatagramPacket(new byte[8192], 8192);
    while (!isClosed) {
      try {
        packet.setLength(8192);
        socket.receive(packet);
        receiver.got(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8));
      } catch (SocketTimeoutException _) {
        // asks again whether it is closed
      } catch (IOException e) {
        return;
      }
    }
  }

  /// Calls, in the name of a user, and returns the status of the final response.
  int call(String user) throws Exception {
    String id = UUID.randomUUID().toString();
    callId = id;
    send(
        caller,
        "INVITE sip:bob@127.0.0.1:%d SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bK%s\r\n"
                .formatted(callee.getLocalPort(), caller.getLocalPort(), id)
            + "Max-Forwards: 70\r\nFrom: <sip:%s@ims.test>;tag=%s\r\nTo: <sip:bob@ims.test>\r\n"
                .formatted(user, id.substring(0, 8))
            + "Call-ID: %s\r\nCSeq: 1 INVITE\r\nContact: <sip:%s@127.0.0.1:%d>\r\n"
                .formatted(id, user, caller.getLocalPort())
            + body(SDP));
    for (String line = next(); ; line = next()) {
      if (line.startsWith("SIP/2.0 ") && !line.startsWith("SIP/2.0 1")) {
        return Integer.parseInt(line.substring(8, 11));
      }
    }
  }

  /// Returns the first line of the next message of the latest call to the caller.
  String next() throws Exception {
    while (true) {
      String message = heard.poll(30, TimeUnit.SECONDS);
      if (message == null) {
        throw new AssertionError("the caller heard nothing for 30 s");
      }
      if (message.contains(callId)) {
        return message.lines().findFirst().orElse("");
      }
    }
  }

  private void atCaller(String message) throws IOException {
    if (message.startsWith("SIP/2.0 200") && message.contains("CSeq: 1 INVITE")) {
      String target = of(message, "Contact: <([^>]+)>").getFirst();
      String via =
          "Via: SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bK%s\r\n"
              .formatted(caller.getLocalPort(), UUID.randomUUID());
      acknowledge(target, via, message);
    } else if (message.matches("(?s)SIP/2.0 [3-6].*")) {
      String target = "sip:bob@127.0.0.1:" + callee.getLocalPort();
      acknowledge(target, lines(message, "Via", "Via"), message);
    } else if (message.startsWith("BYE")) {
      answer(caller, message, "", "");
    }
    heard.add(message);
  }

  private void acknowledge(String target, String via, String response) throws IOException {
    send(
        caller,
        "ACK %s SIP/2.0\r\n".formatted(target)
            + via
            + "Max-Forwards: 70\r\n"
            + lines(response, "Record-Route", "Route")
            + lines(response, "From", "From")
            + lines(response, "To", "To")
            + lines(response, "Call-ID", "Call-ID")
            + "CSeq: 1 ACK\r\n"
            + body(""));
  }

  private void atCallee(String message) throws IOException {
    if (message.startsWith("INVITE")) {
      answer(
          callee,
          message,
          ";tag=callee",
          "Contact: <sip:bob@127.0.0.1:%d>\r\n".formatted(callee.getLocalPort()));
    } else if (message.startsWith("BYE")) {
      answer(callee, message, "", "");
    }
  }

  private void answer(DatagramSocket socket, String request, String tag, String more)
      throws IOException {
    send(
        socket,
        "SIP/2.0 200 OK\r\n"
            + lines(request, "Via", "Via")
            + lines(request, "Record-Route", "Record-Route")
            + lines(request, "From", "From")
            + lines(request, "To", "To").stripTrailing()
            + tag
            + "\r\n"
            + lines(request, "Call-ID", "Call-ID")
            + lines(request, "CSeq", "CSeq")
            + more
            + body(more.isEmpty() ? "" : SDP));
  }

  private static List<String> of(String message, String pattern) {
    return Pattern.compile(pattern)
        .matcher(message)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  private static String lines(String message, String header, String as) {
    StringBuilder lines = new StringBuilder();
    of(message, "(?m)^" + header + ": ([^\r\n]+)")
        .forEach(value -> lines.append(as).append(": ").append(value).append("\r\n"));
    return lines.toString();
  }

  private static String body(String sdp) {
    String type = sdp.isEmpty() ? "" : "Content-Type: application/sdp\r\n";
    return type + "Content-Length: " + sdp.length() + "\r\n\r\n" + sdp;
  }

  private void send(DatagramSocket from, String message) throws IOException {
    byte[] octets = message.getBytes(StandardCharsets.UTF_8);
    from.send(new DatagramPacket(octets, octets.length, proxy));
  }

  @Override
  public void close() {
    isClosed = true;
    caller.close();
    callee.close();
  }
}
