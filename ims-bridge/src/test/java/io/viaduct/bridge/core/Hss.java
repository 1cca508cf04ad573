package io.viaduct.bridge.core;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/// A home subscriber server (TS 29.229) with as much of Cx as an S-CSCF needs for users with a
/// password: each user `x` has the password `x-secret`, and filter criteria that name one
/// application server.
final class Hss implements AutoCloseable {
  static final int PORT = 3868;

  /// The commands that it answered, in their order.
  final List<Integer> answered = new CopyOnWriteArrayList<>();

  private static final int CAPABILITIES = 257;
  private static final int WATCHDOG = 280;
  private static final int DISCONNECT = 282;
  private static final int SERVER_ASSIGNMENT = 301;
  private static final int MULTIMEDIA_AUTH = 303;
  private static final int CX = 16_777_216;
  private static final int VENDOR = 10_415;
  private static final int SUCCESS = 2001;

  private final String address;
  private final String realm;
  private final String applicationServer;
  private final ServerSocket listener;
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  /// @param address also its Origin-Host, so that no name must be looked up
  /// @param applicationServer SIP URI
  Hss(String address, String realm, String applicationServer) throws IOException {
    this.address = address;
    this.realm = realm;
    this.applicationServer = applicationServer;
    listener = new ServerSocket();
    listener.bind(new InetSocketAddress(InetAddress.ofLiteral(address), PORT));
    Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void serve(Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(socket.getInputStream())) {
      while (true) {
        int head = in.readInt();
        byte[] rest = new byte[(head & 0xff_ffff) - 4];
        in.readFully(rest);
        ByteBuffer message = ByteBuffer.wrap(rest);
        int command = message.getInt();
        if (command < 0) { // the R flag: a request
          socket.getOutputStream().write(answer(command, message));
          answered.add(command & 0xff_ffff);
        }
      }
    } catch (IOException _) {
      // the peer or the test has closed the connection
    }
  }

  private byte[] answer(int command, ByteBuffer message) throws IOException {
    int application = message.getInt();
    int hopByHop = message.getInt();
    int endToEnd = message.getInt();
    Map<Integer, byte[]> given = avps(message);
    byte[] body =
        switch (command & 0xff_ffff) {
          case CAPABILITIES ->
              join(
                  number(268, 0, SUCCESS),
                  origin(),
                  avp(257, 0, new byte[] {0, 1, 127, 0, 0, 1}),
                  number(266, 0, VENDOR),
                  text(269, 0, "hss"),
                  number(265, 0, VENDOR),
                  number(258, 0, CX),
                  cx());
          case WATCHDOG, DISCONNECT -> join(number(268, 0, SUCCESS), origin());
          case MULTIMEDIA_AUTH -> join(session(given), vector(given));
          case SERVER_ASSIGNMENT ->
              join(session(given), avp(1, 0, bytes(given, 1)), text(606, VENDOR, profile(given)));
          default -> join(session(given));
        };
    int flags = command & 0x4000_0000; // P as in the request
    return ByteBuffer.allocate(20 + body.length)
        .putInt(0x0100_0000 | (20 + body.length))
        .putInt(flags | (command & 0xff_ffff))
        .putInt(application)
        .putInt(hopByHop)
        .putInt(endToEnd)
        .put(body)
        .array();
  }

  private byte[] origin() throws IOException {
    return join(text(264, 0, address), text(296, 0, realm));
  }

  private static byte[] cx() throws IOException {
    return avp(260, 0, join(number(266, 0, VENDOR), number(258, 0, CX)));
  }

  private byte[] session(Map<Integer, byte[]> given) throws IOException {
    return join(
        avp(263, 0, bytes(given, 263)), number(268, 0, SUCCESS), cx(), number(277, 0, 1), origin());
  }

  /// Returns User-Name, Public-Identity, and the H(A1) of the user's password.
  private byte[] vector(Map<Integer, byte[]> given) throws IOException {
    String identity = new String(bytes(given, 601), StandardCharsets.UTF_8);
    String user = identity.substring(4, identity.indexOf('@'));
    byte[] digest =
        avp(
            635,
            VENDOR,
            join(
                text(104, 0, realm),
                text(111, 0, "MD5"),
                text(110, 0, "auth"),
                text(121, 0, md5(user + ":" + realm + ":" + user + "-secret"))));
    byte[] item = join(number(613, VENDOR, 1), text(608, VENDOR, "SIP Digest"), digest);
    return join(
        avp(1, 0, bytes(given, 1)),
        text(601, VENDOR, identity),
        number(607, VENDOR, 1),
        avp(612, VENDOR, item));
  }

  /// Returns the user profile (TS 29.228 annex B): REGISTERs, and the requests for the bridge, go
  /// to the application server.
  private String profile(Map<Integer, byte[]> given) {
    String register =
        "<SPT><ConditionNegated>0</ConditionNegated><Group>0</Group><Method>REGISTER</Method><Extension>"
            + "<RegistrationType>0</RegistrationType><RegistrationType>1</RegistrationType>"
            + "<RegistrationType>2</RegistrationType></Extension></SPT>";
    StringBuilder requests = new StringBuilder();
    int group = 0;
    for (String method : List.of("SUBSCRIBE", "PUBLISH", "MESSAGE")) {
      requests.append(
          "<SPT><ConditionNegated>0</ConditionNegated><Group>%d</Group><Method>%s</Method></SPT>"
              .formatted(group++, method));
    }
    return """
    <?xml version="1.0" encoding="UTF-8"?><IMSSubscription><PrivateID>%s</PrivateID><ServiceProfile>\
    <PublicIdentity><BarringIndication>0</BarringIndication><Identity>%s</Identity></PublicIdentity>\
    %s%s</ServiceProfile></IMSSubscription>\
    """
        .formatted(
            new String(bytes(given, 1), StandardCharsets.UTF_8),
            new String(bytes(given, 601), StandardCharsets.UTF_8),
            criteria(0, register),
            criteria(1, requests.toString()));
  }

  private String criteria(int priority, String triggers) {
    return ("<InitialFilterCriteria><Priority>%d</Priority><TriggerPoint>"
            + "<ConditionTypeCNF>0</ConditionTypeCNF>%s</TriggerPoint><ApplicationServer>"
            + "<ServerName>%s</ServerName><DefaultHandling>0</DefaultHandling></ApplicationServer>"
            + "</InitialFilterCriteria>")
        .formatted(priority, triggers, applicationServer);
  }

  private static byte[] bytes(Map<Integer, byte[]> given, int code) {
    return given.getOrDefault(code, new byte[0]);
  }

  private static Map<Integer, byte[]> avps(ByteBuffer message) {
    Map<Integer, byte[]> found = new HashMap<>();
    while (message.remaining() >= 8) {
      int code = message.getInt();
      int flagsAndLength = message.getInt();
      int data = (flagsAndLength & 0xff_ffff) - 8;
      if (flagsAndLength < 0) { // the V flag
        message.getInt();
        data -= 4;
      }
      byte[] value = new byte[data];
      message.get(value);
      message.position(Math.min(message.limit(), message.position() + padding(data)));
      found.putIfAbsent(code, value);
    }
    return found;
  }

  private static int padding(int length) {
    return (4 - length % 4) % 4;
  }

  private static byte[] number(int code, int vendor, int value) {
    return avp(code, vendor, ByteBuffer.allocate(4).putInt(value).array());
  }

  private static byte[] text(int code, int vendor, String value) {
    return avp(code, vendor, value.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] avp(int code, int vendor, byte[] data) {
    int head = vendor == 0 ? 8 : 12;
    int flags = vendor == 0 ? 0x4000_0000 : 0xc000_0000;
    ByteBuffer whole =
        ByteBuffer.allocate(head + data.length + padding(data.length))
            .putInt(code)
            .putInt(flags | (head + data.length));
    if (vendor != 0) {
      whole.putInt(vendor);
    }
    return whole.put(data).array();
  }

  private static byte[] join(byte[]... parts) throws IOException {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      whole.write(part);
    }
    return whole.toByteArray();
  }

  private static String md5(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has MD5", e);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
