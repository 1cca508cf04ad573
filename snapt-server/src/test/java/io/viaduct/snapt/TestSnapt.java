package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.tun.WriteResult;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.TokenKeys;
import io.viaduct.snapt.control.TokenVerifier;
import io.viaduct.snapt.control.ToldRevocations;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.FreeDestinations;
import io.viaduct.snapt.credit.WithoutBilling;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.snapt.relay.InternetPort;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.snapt.relay.SessionStatus;
import io.viaduct.snapt.relay.TrafficCounters;
import io.viaduct.snapt.reporting.BridgeConnection;
import io.viaduct.snapt.reporting.BridgeOrders;
import io.viaduct.snapt.reporting.GrpcReportLine;
import io.viaduct.snapt.reporting.IntervalLog;
import io.viaduct.snapt.reporting.ReceiptAsker;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportSender;
import io.viaduct.snapt.reporting.ReportSigner;
import io.viaduct.snapt.reporting.ReportSpool;
import io.viaduct.snapt.reporting.UsageReporting;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The production control and data path of a SNAPT on real sockets. The test takes the place of the
/// Internet, so it needs no TUN device and no root.
public final class TestSnapt implements Relay.Listener, ReceiptAsker, AutoCloseable {
  public static final AddressPool POOL =
      new AddressPool(Prefix.of("10.200.0.0/24"), Prefix.of("fd56::/64"));

  /// Packets that the SNAPT has sent to the Internet.
  public final BlockingQueue<byte[]> out = new LinkedBlockingQueue<>();

  public final List<UsageReport> reports = new CopyOnWriteArrayList<>();
  public final List<UsageReport> progress = new CopyOnWriteArrayList<>();
  public volatile boolean spoolFull;

  /// UDP port 9053 and one network are reachable without credit.
  public final CreditLine credit =
      new CreditLine(
          WithoutBilling.CONTINUE,
          new FreeDestinations(
              List.of(EgressRule.of("udp 9053"), EgressRule.of("198.51.100.0/24"))));

  /// Signs the reports.
  public final KeyPair reportKey = Ed25519.generate();

  private final ScheduledExecutorService reportingThread =
      Executors.newSingleThreadScheduledExecutor();
  private final String id;
  private final ReportSender sender;
  private final TokenKeys keys;
  private @Nullable BridgeConnection bridge;
  public final ReportSpool spool;
  public final Receipts receipts;
  public final UsageReporting reporting;
  private final MultiThreadIoEventLoopGroup loops;
  private final List<Port> ports = new ArrayList<>();
  public final Relay relay;
  public final SessionRegistry registry;
  public final ControlServer control;
  public final InetSocketAddress controlAddress;

  /// One of several addresses of the data port. The kernel would send from another one.
  public final InetSocketAddress dataAddress;

  public final TokenVerifier tokens;
  public final ToldRevocations revoked;

  public TestSnapt(TestOperator operator, Path folder, int loopCount, Duration interval)
      throws Exception {
    this(operator, folder, loopCount, interval, 16, Duration.ofMinutes(1));
  }

  public TestSnapt(
      TestOperator operator,
      Path folder,
      int loopCount,
      Duration interval,
      int perAddressMax,
      Duration idle)
      throws Exception {
    this(operator, folder, loopCount, interval, perAddressMax, idle, EgressPolicy.open(), 0);
  }

  public TestSnapt(
      TestOperator operator,
      Path folder,
      int loopCount,
      Duration interval,
      int perAddressMax,
      Duration idle,
      EgressPolicy policy,
      long accountBitsPerSecond)
      throws Exception {
    this(
        operator,
        folder,
        loopCount,
        interval,
        perAddressMax,
        idle,
        policy,
        accountBitsPerSecond,
        "snapt-1",
        POOL);
  }

  /// @param id common name of its certificate
  public TestSnapt(
      TestOperator operator,
      Path folder,
      int loopCount,
      Duration interval,
      int perAddressMax,
      Duration idle,
      EgressPolicy policy,
      long accountBitsPerSecond,
      String id,
      AddressPool pool)
      throws Exception {
    this.id = id;
    loops =
        new MultiThreadIoEventLoopGroup(
            loopCount, new DefaultThreadFactory("relay", true), EpollIoHandler.newFactory());
    List<IoEventLoop> eventLoops = new ArrayList<>();
    loops.forEach(loop -> eventLoops.add((IoEventLoop) loop));
    InstantSource clock = InstantSource.system();
    InetAddress local = InetAddress.getByName("127.0.0.1");
    relay =
        new Relay(
            new Relay.Settings(
                id,
                7,
                interval,
                45,
                TunnelSettings.defaults(),
                HistoryMemory.BUDGET_BYTES,
                UdpSettings.at(new InetSocketAddress(0)).answeringFromArrival(),
                policy,
                accountBitsPerSecond,
                credit),
            pool,
            eventLoops,
            System::nanoTime,
            clock,
            this);
    eventLoops.forEach(loop -> ports.add(new Port(loop)));
    int dataPort = relay.start(List.copyOf(ports), eventLoops).getPort();
    dataAddress = new InetSocketAddress(InetAddress.getByName("127.0.0.9"), dataPort);
    registry = new SessionRegistry(8, idle, pool, relay, () -> spoolFull, new SecureRandom());
    keys = TokenKeys.open(folder.resolve("token-keys"));
    keys.accept(SnaptStatusAck.newBuilder().addTokenKeys(operator.tokenKey()).build());
    revoked = ToldRevocations.open(folder.resolve("revocations"));
    tokens = new TokenVerifier(keys, revoked, TestIssuer.AUDIENCE);
    spool = ReportSpool.open(folder.resolve("spool"), 1_000);
    Duration noWait = Duration.ZERO;
    receipts = new Receipts(spool, this, noWait, this::settle);
    sender = new ReportSender(spool, receipts, 8);
    reporting =
        new UsageReporting(
            spool,
            IntervalLog.open(folder.resolve("intervals"), 1 << 20),
            new ReportSigner("report", reportKey.getPrivate()),
            sender,
            receipts,
            reportingThread);
    control =
        new ControlServer(
            new ControlServer.Settings(
                id,
                7,
                64,
                perAddressMax,
                Duration.ofSeconds(3),
                Duration.ofMillis(500),
                interval,
                dataAddress.getPort(),
                "localhost",
                "here",
                new TunnelLimits(1500, 65_536, TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES),
                List.of()),
            operator
                .material(id)
                .serverBuilder(ClientAuth.NONE)
                .applicationProtocolConfig(
                    new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.FATAL_ALERT,
                        ControlFrame.ALPN))
                .build(),
            new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("control", true), EpollIoHandler.newFactory()),
            tokens,
            registry,
            receipts,
            clock);
    InetSocketAddress bound = control.start(new InetSocketAddress(local, 0));
    controlAddress = new InetSocketAddress("localhost", bound.getPort());
  }

  /// A replacement for a queue of the TUN device.
  private final class Port implements InternetPort {
    @Override
    public boolean takesUdpSuperpackets() {
      return false; // tests count packets, and a busy loop would merge several into one
    }

    private final IoEventLoop loop;
    private @Nullable TunReader reader;

    Port(IoEventLoop loop) {
      this.loop = loop;
    }

    @Override
    public void start(IoEventLoop on, TunReader to) {
      reader = to;
    }

    @Override
    public WriteResult write(ByteBuf from, int headerOffset, int length) {
      if (new VirtioNetHeader().wrap(from, headerOffset).needsChecksum()) {
        TestTunnel.complete(
            new IpPacket().set(from, headerOffset + VirtioNetHeader.LENGTH, length));
      }
      out.add(ByteBufUtil.getBytes(from, headerOffset + VirtioNetHeader.LENGTH, length));
      return WriteResult.WRITTEN;
    }

    void inject(byte[] packet) {
      loop.execute(() -> {
        ByteBuf buffer =
            Unpooled.directBuffer().writeZero(VirtioNetHeader.LENGTH).writeBytes(packet);
        reader.packet(buffer, 0, packet.length);
        reader.batchEnd();
        buffer.release();
      });
    }
  }

  /// Announces this SNAPT to a bridge every 200 ms, sends it the reports, and obeys its answers.
  ///
  /// @param channel closed with this SNAPT
  public void announceTo(ManagedChannel channel) {
    SnaptStatus status =
        SnaptStatus.newBuilder()
            .setSnaptId(id)
            .setHost("localhost")
            .setControlPort(controlAddress.getPort())
            .setDataPort(dataAddress.getPort())
            .setEpoch(7)
            .build();
    BridgeConnection connection =
        new BridgeConnection(
            channel,
            new GrpcReportLine(channel),
            reportingThread,
            InstantSource.system(),
            reporting,
            sender,
            () -> status,
            this::told,
            BridgeOrders.NONE,
            credit);
    connection.start(Duration.ofMillis(200));
    bridge = connection;
  }

  /// Takes the bridge's answer to a status, as [Snapt] does.
  public void told(SnaptStatusAck answer) {
    keys.accept(answer);
    if (revoked.accept(answer)) {
      control.revoke();
    }
  }

  /// Keeps the event loops of the data path from working.
  ///
  /// @param until completed to let them go on
  public void holdDataPath(CompletableFuture<Void> until) {
    loops.forEach(loop -> loop.execute(until::join));
  }

  /// Delivers a packet from the Internet on a given TUN queue.
  public void inject(int queue, byte[] packet) {
    ports.get(queue).inject(packet);
  }

  public byte @Nullable [] nextOut() throws InterruptedException {
    return out.poll(5, TimeUnit.SECONDS);
  }

  /// Returns a counter, summed over the loops. Counts of sessions are added once a second.
  public long count(ToLongFunction<TrafficCounters> counter) {
    return relay.counters().stream().mapToLong(counter).sum();
  }

  public long count(Verdict verdict) {
    return count(loop -> loop.of(verdict));
  }

  public SessionStatus onlySession() throws Exception {
    return relay.status().get(5, TimeUnit.SECONDS).getFirst();
  }

  @Override
  public void onProgress(List<IntervalUsage> changes, Runnable taken) {
    changes.forEach(change -> progress.add(change.report()));
    taken.run();
  }

  @Override
  public void onInterval(IntervalUsage usage) {
    reports.add(usage.report());
    reporting.close(usage, this::settle);
  }

  @Override
  public void onCredit(Session session, CreditNotice notice) {
    control
        .devices()
        .tell(session, Feature.CREDIT_NOTICES, ControlMessage.newBuilder().setCreditNotice(notice));
  }

  @Override
  public void onLineRate(Session session, LineRate rate) {
    control
        .devices()
        .tell(session, Feature.LINE_RATES, ControlMessage.newBuilder().setLineRate(rate));
  }

  @Override
  public void onBound(Session session) {
    Arrival arrival = session.arrival();
    if (arrival != null) {
      control.thread().run(() -> arrival.listener().bound(session));
    }
  }

  @Override
  public void onMoved(Session session) {
    control.devices().nudge(session);
  }

  @Override
  public void ask(
      ByteString device, String session, List<IntervalBoundary> boundaries, boolean last) {
    control.devices().ask(device, session, boundaries, last);
  }

  private void settle() {
    reportingThread.execute(() -> reporting.settle(System.currentTimeMillis()));
  }

  /// Returns the envelopes of the spooled reports, oldest first. They are never acknowledged.
  public List<SignedUsageReport> envelopes() throws Exception {
    return reportingThread
        .submit(() -> {
          List<SignedUsageReport> all = new ArrayList<>();
          for (var next = spool.next(Optional.empty()); next.isPresent(); next = spool.next(next)) {
            all.add(spool.read(next.get()));
          }
          return all;
        })
        .get();
  }

  @Override
  public void close() {
    control.stop();
    relay.close();
    if (bridge != null) {
      bridge.close();
    }
    reportingThread.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
