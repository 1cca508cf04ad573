package io.viaduct.radius.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.PacketReader;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.Refusal;
import io.viaduct.radius.message.Verdict;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.radius.statistics.RadiusStatistics.Count;
import io.viaduct.radius.statistics.RadiusStatistics.Drop;
import io.viaduct.radius.udp.UdpSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Sends accounting requests to the first server that answers. A server that does not answer is
/// given up after its attempts, and the next one is tried; the server that has answered is the
/// first one for the next record. One event loop owns all state.
public final class AccountingClient implements AutoCloseable {
  private static final int IDENTIFIERS = 256;

  private final ClientSettings settings;
  private final Dictionary dictionary;
  private final RadiusStatistics statistics;
  private final InstantSource clock;
  private final PacketReader reader;
  private final UdpSocket socket;
  // Of the event loop.
  private final Map<Integer, Exchange> inFlight = new HashMap<>();
  private int nextIdentifier;
  private int present; // index of the server that is tried first

  private AccountingClient(
      ClientSettings settings,
      Dictionary dictionary,
      RadiusStatistics statistics,
      InstantSource clock)
      throws IOException {
    this.settings = settings;
    this.dictionary = dictionary;
    this.statistics = statistics;
    this.clock = clock;
    this.reader = new PacketReader(dictionary);
    this.socket = UdpSocket.open("radius-client", new InetSocketAddress(0), new Receiver());
  }

  /// Opens the socket of a client, on a free port.
  public static AccountingClient start(
      ClientSettings settings,
      Dictionary dictionary,
      RadiusStatistics statistics,
      InstantSource clock)
      throws IOException {
    return new AccountingClient(settings, dictionary, statistics, clock);
  }

  /// Sends a record.
  ///
  /// @param record an Accounting-Request with Event-Timestamp, from which each packet has its
  ///   Acct-Delay-Time; identifier and authenticators are made here
  /// @return completes when a server has answered; fails with [UnansweredException] if none has
  public CompletableFuture<Void> send(RadiusPacket record) {
    CompletableFuture<Void> answered = new CompletableFuture<>();
    socket.onLoop(
        () -> new Exchange(this, record, answered).begin(),
        () -> answered.completeExceptionally(new UnansweredException("the client is closed")));
    return answered;
  }

  ClientSettings settings() {
    return settings;
  }

  Dictionary dictionary() {
    return dictionary;
  }

  UdpSocket socket() {
    return socket;
  }

  InstantSource clock() {
    return clock;
  }

  void count(Count what) {
    statistics.count(what);
  }

  /// Returns the index of the server that is tried first.
  int present() {
    return present;
  }

  void answeredBy(int server) {
    present = server;
  }

  /// Gives an exchange an identifier that no packet in flight has.
  ///
  /// @return empty if all are in use
  Optional<Integer> takeIdentifier(Exchange exchange) {
    for (int i = 0; i < IDENTIFIERS; i++) {
      int identifier = nextIdentifier;
      nextIdentifier = (nextIdentifier + 1) % IDENTIFIERS;
      if (inFlight.putIfAbsent(identifier, exchange) == null) {
        return Optional.of(identifier);
      }
    }
    return Optional.empty();
  }

  void release(int identifier) {
    inFlight.remove(identifier);
  }

  private void received(InetSocketAddress sender, byte[] datagram) {
    switch (reader.read(datagram)) {
      case Verdict.Refused(Refusal reason) -> statistics.count(reason);
      case Verdict.Accepted(RadiusPacket packet, byte[] octets) -> answer(sender, packet, octets);
    }
  }

  private void answer(InetSocketAddress sender, RadiusPacket packet, byte[] octets) {
    if (settings.servers().stream().noneMatch(server -> server.address().equals(sender))) {
      statistics.count(Drop.UNKNOWN_SOURCE);
      return;
    }
    if (packet.code() != RadiusPacket.ACCOUNTING_RESPONSE) {
      statistics.count(Refusal.OTHER_CODE);
      return;
    }
    Exchange exchange = inFlight.get(packet.identifier());
    if (exchange == null || !exchange.isWith(sender)) {
      statistics.count(Drop.STRAY_RESPONSE);
      return;
    }
    Optional<Refusal> flaw = exchange.flaw(octets);
    if (flaw.isPresent()) {
      statistics.count(flaw.get());
    } else {
      statistics.count(Count.RESPONSE_RECEIVED);
      exchange.answered();
    }
  }

  private final class Receiver extends SimpleChannelInboundHandler<DatagramPacket> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket datagram) {
      received(datagram.sender(), UdpSocket.octets(datagram));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      // An ICMP error of a server: its time runs out as if it were silent.
    }
  }

  /// Closes the socket. What is in flight fails.
  @Override
  public void close() {
    socket.onLoop(
        () -> {
          List<Exchange> open = new ArrayList<>(inFlight.values());
          open.forEach(exchange -> exchange.fail("the client is closed"));
        },
        () -> {});
    socket.close();
  }
}
