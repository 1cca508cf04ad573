package io.viaduct.snapt.group;

import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.WatchedListener;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.TokenVerifier;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.snapt.relay.Relay;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// This SNAPT as a member of its group: takes sessions over from others, and hands its own over.
/// Thread: one for routes and the file of moved addresses; requests are checked on virtual threads,
/// sessions belong to the control thread.
public final class SnaptGroup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnaptGroup.class);
  private static final int MESSAGE_BYTES_MAX = 4 << 20; // 16384 flows take less
  private static final int CALLS_PER_CONNECTION = 256;
  private static final long ROUTES_AGAIN_MS = 5_000;

  private final GroupSettings settings;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("group"));
  private final MovedAddresses addresses;
  private final SessionRegistry registry;
  private final Members members;
  private final Returns returns;
  private final TakeOverService service;
  private final Intents intents;
  private final HandOvers handOvers;
  private final MemberTunnels tunnels;
  private final WatchedListener listener;
  private final Server server;

  /// @param file of the state directory, for the addresses that have moved
  /// @param own pool of this SNAPT
  /// @param serverTls must ask callers for a certificate
  /// @param clientTls must have this SNAPT's certificate
  public SnaptGroup(
      GroupSettings settings,
      Path file,
      GroupSettings.MemberPool own,
      SslContext serverTls,
      SslContext clientTls,
      Host host,
      SessionRegistry registry,
      ControlServer control,
      TokenVerifier tokens,
      Relay relay,
      InstantSource clock,
      GroupCounts counts) {
    this.settings = settings;
    this.registry = registry;
    for (GroupSettings.Member each : settings.members()) {
      if (host.hasIpv6() && each.nextHop6().isEmpty()) {
        LOG.warn(
            "group.members of {} has no next-hop6: sessions with IPv6 are not handed over to it",
            each.id());
      }
    }
    addresses = new MovedAddresses(file, settings, own, host, counts);
    members = new Members(settings, clientTls);
    relay.members(new Holders(settings, members, addresses, System::nanoTime));
    tunnels = new MemberTunnels(settings, control, relay::memberTunnels, System::nanoTime);
    returns =
        new Returns(
            addresses,
            settings,
            members,
            thread,
            free -> control.thread().run(() -> free(free)),
            counts);
    service =
        new TakeOverService(
            settings,
            registry,
            control,
            tokens,
            addresses,
            returns,
            relay::accountOf,
            thread,
            clock,
            counts);
    intents = new Intents(addresses, settings, members, returns, thread, counts);
    handOvers =
        new HandOvers(
            settings,
            new HandOver.Parts(
                settings.name(),
                registry,
                control,
                relay,
                members,
                intents,
                thread,
                System::nanoTime),
            host,
            clock,
            counts);
    listener = new WatchedListener("group", new FailedHandshakeLog("the group's port", clock));
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(settings.listen(), settings.port()))
            .channelFactory(listener::channel)
            .bossEventLoopGroup(listener.acceptor())
            .workerEventLoopGroup(listener.workers())
            .sslContext(serverTls)
            .executor(
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("group-", 0).factory()))
            .maxInboundMessageSize(MESSAGE_BYTES_MAX)
            .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
            .addService(
                ServerInterceptors.intercept(
                    service, new MemberIdentity(settings, counts::stranger)))
            .build();
  }

  /// Leads packets for the addresses that moved before this start, keeps those that others have or
  /// may have, asks for the outcomes that were not heard, and returns the addresses whose sessions
  /// have ended with the process. Then listens. Called before the control port opens.
  ///
  /// @throws IOException if the file or the port cannot be used
  public void start() throws IOException {
    List<PublicAddress> ended = addresses.open();
    tunnels.start();
    addresses.all().forEach(registry::keep);
    addresses.intents().forEach(each -> registry.keep(each.address()));
    thread.execute(() -> {
      addresses.lead();
      ended.stream().filter(each -> addresses.intent(each) == null).forEach(returns::leave);
      intents.askAll();
    });
    var unused =
        thread.scheduleWithFixedDelay(
            addresses::again, ROUTES_AGAIN_MS, ROUTES_AGAIN_MS, TimeUnit.MILLISECONDS);
    var at =
        Listening.on(
            "group.listen", "group.port", "TCP", settings.listen(), settings.port(), server::start);
    LOG.info("member of the group {} at {}", settings.name(), at.getPort());
  }

  // An address that is about to leave again has been freed before: its outcome decides.
  private void free(PublicAddress address) {
    if (addresses.intent(address) == null) {
      registry.returned(address);
    }
  }

  /// Returns what hands the sessions over.
  public HandOvers handOvers() {
    return handOvers;
  }

  /// Returns the port for the other members.
  public int port() {
    return server.getPort();
  }

  /// Ends the port and the thread. The routes stay, so that packets are still forwarded.
  @Override
  public void close() {
    server.shutdown();
    tunnels.close();
    members.close();
    try {
      if (!server.awaitTermination(1, TimeUnit.SECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException _) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    thread.shutdown();
    listener.close();
  }
}
