package io.viaduct.testbed.sessions;

import com.google.protobuf.ByteString;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;

/// Many devices in one process: each has a TLS connection and a tunnel, and all share a few UDP
/// sockets ([DeviceLines]). One event loop runs the connections, another the tunnels. It must be
/// made by a thread of the namespace that it works in.
final class Generator implements AutoCloseable {
  private static final int OPENING_MAX = 16;
  private static final long PATIENCE_S = 300;
  // Interval at which an agent probes a silent path (cnapt: mobility.silent-interval).
  private static final long PROBE_NS = 25_000_000_000L;
  private static final long PROBE_TICK_NS = 5_000_000;

  private final TokenIssuer issuer;
  private final LongSupplier nanoTime;
  private final SslContext tls;
  private final MultiThreadIoEventLoopGroup loops;
  private final IoEventLoop control;
  private final IoEventLoop data;
  private final LoopMemory memory = new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  private final DeviceLines lines;
  private final IntObjectHashMap<Device> byReceiver = new IntObjectHashMap<>();
  private final List<Device> devices = new ArrayList<>();
  private final List<Device> receivingDevices = new ArrayList<>();
  private int opened;
  private int probed;
  private long answers;
  private boolean isFlooding;
  private double probesDue;

  /// Makes the sockets of the devices.
  interface Opening {
    /// Opens the sockets.
    ///
    /// @param loop on which everything about them happens
    /// @param reader takes what arrives
    DeviceLines open(IoEventLoop loop, DatagramReader reader) throws SocketException;
  }

  /// Opens the sockets.
  ///
  /// @param trust PEM file of the authority of the SNAPT's certificate
  Generator(Path trust, TokenIssuer issuer, Opening opening, LongSupplier nanoTime)
      throws SSLException, SocketException {
    this.issuer = issuer;
    this.nanoTime = nanoTime;
    tls =
        SslContextBuilder.forClient()
            .trustManager(trust.toFile())
            .protocols("TLSv1.3")
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.FATAL_ALERT,
                    ControlFrame.ALPN))
            .build();
    loops =
        new MultiThreadIoEventLoopGroup(
            2, new DefaultThreadFactory("device", true), EpollIoHandler.newFactory());
    control = (IoEventLoop) loops.next();
    data = (IoEventLoop) loops.next();
    lines = opening.open(data, reader());
    var unused =
        data.scheduleAtFixedRate(
            this::probeSome, PROBE_TICK_NS, PROBE_TICK_NS, TimeUnit.NANOSECONDS);
  }

  private DatagramReader reader() {
    return new DatagramReader() {
      @Override
      public void datagram(ByteBuf content, InetSocketAddress from) {
        int index =
            DatagramHeader.receiverIndex(content, content.readerIndex(), content.readableBytes());
        Device device = byReceiver.get(index);
        if (device != null) {
          answers += isAnswer(device.receive(content, from, nanoTime.getAsLong())) ? 1 : 0;
          receivingDevices.add(device);
        }
      }

      @Override
      public void batchEnd() {
        long nowNs = nanoTime.getAsLong();
        receivingDevices.forEach(device -> device.tick(nowNs));
        receivingDevices.clear();
      }
    };
  }

  // A device knows its last 64 probes. The answer to an older one is authentic and PATH_UNEXPECTED.
  private static boolean isAnswer(Verdict verdict) {
    return verdict == Verdict.ACCEPTED || verdict == Verdict.PATH_UNEXPECTED;
  }

  // Probes are spread evenly, like those of independent devices.
  private void probeSome() {
    if (isFlooding) {
      return; // only the flood's own probes are counted
    }
    long nowNs = nanoTime.getAsLong();
    probesDue += (double) devices.size() * PROBE_TICK_NS / PROBE_NS;
    for (; probesDue >= 1; probesDue--) {
      probed = probed + 1 < devices.size() ? probed + 1 : 0;
      devices.get(probed).probe(1, nowNs);
    }
  }

  /// Opens sessions up to a total number. Returns when each has received its Welcome and sent its
  /// first probe.
  void open(int upTo) throws InterruptedException {
    var opening = new Semaphore(OPENING_MAX);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    while (opened < upTo) {
      int number = ++opened;
      opening.acquire();
      KeyPair device = Ed25519.generate();
      all.add(
          connect(number, issuer.issue(number, device), device)
              .thenAcceptAsync(welcome -> begin(number, welcome), data)
              .whenComplete((_, _) -> opening.release()));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
        .join();
  }

  private CompletableFuture<Welcome> connect(int number, ByteString token, KeyPair device) {
    var dialog = new DeviceControl(token, device, number);
    new Bootstrap()
        .group(control)
        .channel(EpollSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                SslHandler handler =
                    tls.newHandler(
                        channel.alloc(), SnaptProcess.ADDRESS, SnaptProcess.CONTROL_PORT);
                handler.setHandshakeTimeout(PATIENCE_S, TimeUnit.SECONDS);
                channel.pipeline().addLast(handler, dialog);
              }
            })
        .connect(SnaptProcess.ADDRESS, SnaptProcess.CONTROL_PORT)
        .addListener(done -> {
          if (!done.isSuccess()) {
            dialog.welcome().completeExceptionally(done.cause());
          }
        });
    return dialog.welcome();
  }

  private void begin(int number, Welcome welcome) {
    long nowNs = nanoTime.getAsLong();
    SessionSecret secret = SessionSecret.of(welcome.getSecret().toByteArray());
    var terms =
        new TunnelTerms(
            AeadAlgorithm.valueOf(welcome.getAead().name()),
            secret,
            welcome.getReceiverIndex(),
            new TunnelLimits(welcome.getPathMtu(), welcome.getHistoryBytes()));
    var device =
        new Device(
            lines.line(number, new InetSocketAddress(SnaptProcess.ADDRESS, welcome.getDataPort())),
            (flows, path) ->
                new TunnelSession(
                    TunnelRole.AGENT,
                    terms,
                    TunnelSettings.defaults(),
                    memory,
                    flows,
                    path,
                    nowNs));
    secret.wipe();
    byReceiver.put(number, device);
    devices.add(device);
    device.probe(1, nowNs);
  }

  /// Sends as much as the SNAPT accepts, in turn over the first `sessions` devices.
  Flood.Sent flood(int sessions, double seconds) {
    var flood = new Flood(data, devices, sessions, seconds, nanoTime);
    data.execute(flood::begin);
    return flood.ended().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
  }

  /// Sends probes as fast as the SNAPT answers them, in turn over the first `sessions` devices.
  ///
  /// @param each probes of a device that leave together
  ProbeFlood.Answered probes(ManyAddresses by, int sessions, int each, double seconds) {
    var flood = new ProbeFlood(this, by, sessions, each, seconds);
    data.execute(() -> {
      isFlooding = true;
      flood.begin();
    });
    return flood
        .ended()
        .whenComplete((_, _) -> isFlooding = false) // the flood ends on this loop
        .orTimeout(PATIENCE_S, TimeUnit.SECONDS)
        .join();
  }

  IoEventLoop loop() {
    return data;
  }

  Device device(int index) {
    return devices.get(index);
  }

  /// Returns the number of authentic datagrams that the devices have received. Loop only.
  long answers() {
    return answers;
  }

  long nowNs() {
    return nanoTime.getAsLong();
  }

  @Override
  public void close() {
    data.submit(
            () -> {
              devices.forEach(Device::close);
              devices.clear();
            })
        .awaitUninterruptibly();
    lines.close();
    data.submit(memory::close).awaitUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
