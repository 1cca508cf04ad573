package io.viaduct.diameter.peer;

import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.CodecLimits;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Nodes on the loopback interface with short times.
public final class Nodes {
  public static final Dictionary DICTIONARY = Dictionary.standard();

  private Nodes() {}

  public static NodeIdentity identity(String host) {
    return NodeIdentity.charging(
        host, "ims.test", List.of(InetAddress.getLoopbackAddress()), 1_700_000_000L);
  }

  public static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  public static NodeSettings settings(InetSocketAddress listen, PeerSettings... peers) {
    return new NodeSettings(
        listen,
        List.of(peers),
        Duration.ofMillis(60),
        Duration.ofSeconds(5),
        Duration.ofSeconds(20),
        5,
        100,
        4,
        CodecLimits.STANDARD);
  }

  /// Starts a node that connects to peers and is not connected to.
  public static DiameterNode client(String host, PeerSettings... peers) throws Exception {
    return DiameterNode.start(identity(host), settings(null, peers), DICTIONARY, Map.of());
  }

  /// Starts a node to which the client connects.
  public static DiameterNode server(String host, String client, RequestHandler accounting)
      throws Exception {
    return server(host, loopback(0), client, accounting);
  }

  public static DiameterNode server(
      String host, InetSocketAddress listen, String client, RequestHandler accounting)
      throws Exception {
    return DiameterNode.start(
        identity(host),
        settings(listen, new PeerSettings(client, null)),
        DICTIONARY,
        Map.of(NodeIdentity.ACCOUNTING, accounting));
  }

  public static PeerSettings peer(String host, int port) {
    return new PeerSettings(host, loopback(port));
  }

  /// Returns an address whose port is free before and after its server runs: a socket with another
  /// loopback address holds the port, and no connection has this address as its source.
  public static InetSocketAddress reserved(ServerSocket holder) throws Exception {
    holder.bind(new InetSocketAddress("127.0.0.3", 0));
    return new InetSocketAddress("127.0.0.2", holder.getLocalPort());
  }

  /// Returns the request of an event, whose session is its own.
  public static DiameterMessage accounting(int number) {
    return accounting("client.ims.test;1;" + number, number);
  }

  public static DiameterMessage accounting(String session, int number) {
    AvpGroup avps =
        new AvpBuilder(DICTIONARY)
            .add("Session-Id", session)
            .add("Origin-Host", "client.ims.test")
            .add("Origin-Realm", "ims.test")
            .add("Destination-Realm", "ims.test")
            .add("Accounting-Record-Type", "EVENT_RECORD")
            .add("Accounting-Record-Number", number)
            .build();
    return new DiameterMessage(DiameterHeader.request(271, true, NodeIdentity.ACCOUNTING), avps);
  }

  /// Returns an Accounting-Answer.
  public static DiameterMessage answer(DiameterMessage request, String host, int resultCode) {
    Answers answers = new Answers(DICTIONARY, host, "ims.test");
    AvpBuilder avps = answers.begin(request.avps(), resultCode);
    request.avps().all("Accounting-Record-Type").forEach(avps::add);
    request.avps().all("Accounting-Record-Number").forEach(avps::add);
    return answers.of(request.header(), resultCode, avps);
  }
}
