package io.viaduct.radius.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.viaduct.radius.accounting.AccountingRecord;
import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.Attribute;
import io.viaduct.radius.message.PacketReader;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.Refusal;
import io.viaduct.radius.message.Verdict;
import io.viaduct.radius.server.RecentRequests.Key;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.radius.statistics.RadiusStatistics.Count;
import io.viaduct.radius.statistics.RadiusStatistics.Drop;
import io.viaduct.radius.udp.UdpSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Receives accounting requests, and answers those that are stored. A packet that no configured
/// client has signed gets no answer. One event loop owns all state.
public final class AccountingServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccountingServer.class);
  private static final String PROXY_STATE = "Proxy-State";

  private final ServerSettings settings;
  private final Dictionary dictionary;
  private final RecordHandler handler;
  private final RadiusStatistics statistics;
  private final InstantSource clock;
  private final PacketReader reader;
  private final Map<InetAddress, NasClient> clients = new HashMap<>();
  private final UdpSocket socket;
  // Of the event loop.
  private final RecentRequests recent;
  private int processed;

  private AccountingServer(
      ServerSettings settings,
      Dictionary dictionary,
      RecordHandler handler,
      RadiusStatistics statistics,
      InstantSource clock)
      throws IOException {
    this.settings = settings;
    this.dictionary = dictionary;
    this.handler = handler;
    this.statistics = statistics;
    this.clock = clock;
    reader = new PacketReader(dictionary);
    recent = new RecentRequests(settings.remembered(), settings.rememberedMax());
    settings.clients().forEach(client -> clients.put(client.address(), client));
    socket = UdpSocket.open("radius", settings.address(), new Receiver());
  }

  /// Opens the socket.
  ///
  /// @throws IOException if the address cannot be bound
  public static AccountingServer start(
      ServerSettings settings,
      Dictionary dictionary,
      RecordHandler handler,
      RadiusStatistics statistics,
      InstantSource clock)
      throws IOException {
    return new AccountingServer(settings, dictionary, handler, statistics, clock);
  }

  public int port() {
    return socket.port();
  }

  private void received(InetSocketAddress sender, byte[] datagram) {
    NasClient client = clients.get(sender.getAddress());
    if (client == null) {
      statistics.count(Drop.UNKNOWN_SOURCE);
      return;
    }
    switch (reader.read(datagram)) {
      case Verdict.Refused(Refusal reason) -> statistics.count(reason);
      case Verdict.Accepted(RadiusPacket packet, byte[] octets) -> {
        Optional<Refusal> flaw =
            packet.code() == RadiusPacket.ACCOUNTING_REQUEST
                ? client.secret().flawOfRequest(octets)
                : Optional.of(Refusal.OTHER_CODE);
        flaw.ifPresentOrElse(
            statistics::count, () -> request(new Request(client, sender, packet, octets)));
      }
    }
  }

  /// A request that its client has signed.
  private record Request(
      NasClient client, InetSocketAddress sender, RadiusPacket packet, byte[] octets) {}

  private void request(Request request) {
    statistics.count(Count.REQUEST_RECEIVED);
    Instant now = clock.instant();
    Key key = Key.of(request.sender(), request.octets());
    Optional<RecentRequests.Entry> known = recent.find(key);
    if (known.isPresent()) {
      statistics.count(Count.DUPLICATE);
      byte[] response = known.get().response();
      if (response != null) {
        send(request.sender(), response);
      }
      return;
    }
    if (processed >= settings.requestsMax()) {
      statistics.count(Drop.BUSY);
      return;
    }
    AccountingRecord.of(request.packet(), dictionary, now)
        .ifPresentOrElse(
            record -> store(request, key, record, now), () -> statistics.count(Drop.INCOMPLETE));
  }

  private void store(Request request, Key key, AccountingRecord record, Instant now) {
    recent.begin(key, now);
    processed++;
    handler
        .store(request.client(), record)
        .whenComplete(
            (_, failure) -> socket.onLoop(() -> stored(request, key, failure == null), () -> {}));
  }

  private void stored(Request request, Key key, boolean isStored) {
    processed--;
    if (isStored) {
      byte[] response = request.client().secret().signResponse(response(request), request.octets());
      recent.answered(key, response);
      send(request.sender(), response);
    } else {
      statistics.count(Drop.NOT_STORED);
      recent.forget(key);
    }
  }

  // Proxy-State goes back as it came (RFC 2865 section 5.33).
  private static RadiusPacket response(Request request) {
    List<Attribute> attributes =
        request.packet().attributes().stream()
            .filter(attribute -> attribute.name().equals(PROXY_STATE))
            .toList();
    return new RadiusPacket(
        RadiusPacket.ACCOUNTING_RESPONSE, request.packet().identifier(), attributes);
  }

  private void send(InetSocketAddress to, byte[] response) {
    statistics.count(Count.RESPONSE_SENT);
    socket.send(to, response);
  }

  private final class Receiver extends SimpleChannelInboundHandler<DatagramPacket> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket datagram) {
      received(datagram.sender(), UdpSocket.octets(datagram));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      LOG.debug("RADIUS socket: {}", cause.toString()); // such as an ICMP error of a client
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
