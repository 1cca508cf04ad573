package io.viaduct.snapt.relay;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.tun.WriteResult;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.FreeDestinations;
import io.viaduct.snapt.credit.WithoutBilling;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries packets of a throw-away session before the SNAPT serves, so that the JVM has loaded the
/// packet path and compiles it. Otherwise the first session, or one that another SNAPT hands over
/// with its open connections, stands still for some tenths of a second.
///
/// The path is the real one, with a relay of its own: UDP on the loopback interface, unsealing,
/// translation, a "server" that returns each packet, and the way back. Its keys, addresses, meters
/// and counters belong to nothing else.
public final class WarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /// Longest time for which packets are sent.
  private static final Duration LONGEST = Duration.ofSeconds(3);

  /// Packets after which it is over.
  static final int PACKETS = 5_000;

  private static final int DEVICE_INDEX = 1;
  private static final byte[] INNER = {10, 64, 0, 2};
  // Networks for documentation (RFC 5737, RFC 3849): no packet leaves the process.
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("192.0.2.0/29"), Prefix.of("2001:db8::/64"));

  private final Relay.Settings settings;
  private final TunnelLimits limits;
  private final SecureRandom random = new SecureRandom();

  private WarmUp(Relay.Settings settings, TunnelLimits limits) {
    this.settings = settings;
    this.limits = limits;
  }

  /// Warms the packet path up. Blocks until [#PACKETS] have come back, for 3 s at most. A host
  /// without a loopback interface is left cold.
  ///
  /// @param like settings of the real data path; only those of the tunnel are used
  /// @return the packets that came back
  public static long run(Relay.Settings like, TunnelLimits limits) {
    try {
      return new WarmUp(like, limits).carry();
    } catch (IOException | RuntimeException e) { // the SNAPT serves all the same
      LOG.warn("the packet path is not warmed up: {}", e.toString());
      return 0;
    }
  }

  private long carry() throws IOException {
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("warm-up", true), EpollIoHandler.newFactory());
    IoEventLoop loop = (IoEventLoop) group.next();
    try (Relay relay = relay(loop)) {
      InetSocketAddress data = relay.start(List.of(new Mirror()), List.of(loop));
      SessionRegistry registry =
          new SessionRegistry(1, Duration.ofMinutes(1), POOL, relay, () -> false, random);
      SessionSecret secret = SessionSecret.draw(random);
      SessionSecret same = SessionSecret.of(secret.reveal());
      Session session = open(registry, secret);
      try (WarmUpDevice device =
          new WarmUpDevice(terms(same, session.receiverIndex()), data, INNER)) {
        long back = device.carry(PACKETS, LONGEST);
        LOG.info("{} packets have warmed the data path up", back);
        return back;
      } finally {
        registry.end(session, SessionEnd.STOPPED);
      }
    } finally {
      group.shutdownGracefully(0, 100, TimeUnit.MILLISECONDS);
    }
  }

  private Relay relay(IoEventLoop loop) {
    return new Relay(
        new Relay.Settings(
            settings.snaptId(),
            settings.epoch(),
            settings.interval(),
            settings.lossPercentMax(),
            settings.tunnel(),
            settings.historyBudgetBytes(),
            UdpSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            EgressPolicy.open(),
            0,
            new CreditLine(WithoutBilling.CONTINUE, new FreeDestinations(List.of()))),
        POOL,
        List.of(loop),
        System::nanoTime,
        InstantSource.system(),
        new NoListener());
  }

  private Session open(SessionRegistry registry, SessionSecret secret) {
    SessionToken token =
        SessionToken.newBuilder()
            .setAccount("warm-up")
            .setDeviceKey(ByteString.copyFrom(new byte[32]))
            .setExpiresMs(Long.MAX_VALUE)
            .build();
    Session.Terms terms =
        new Session.Terms(
            terms(secret, DEVICE_INDEX),
            InnerAddresses.of(INNER, new byte[0]),
            List.of("warm-up"),
            "warm-up",
            Set.of(),
            null);
    SessionRegistry.Admission admission =
        registry.admit(
            new ShownToken(token, SignedSessionToken.getDefaultInstance()),
            "",
            0,
            terms,
            System.currentTimeMillis());
    if (admission instanceof SessionRegistry.Admission.Admitted(Session session, boolean _)) {
      return session;
    }
    throw new IllegalStateException("the warm-up session is refused: " + admission);
  }

  private TunnelTerms terms(SessionSecret secret, int peerIndex) {
    return new TunnelTerms(AeadAlgorithm.AES_256_GCM, secret, peerIndex, limits);
  }

  /// The Internet: returns each packet to its sender.
  private static final class Mirror implements InternetPort {
    private static final int IP = VirtioNetHeader.LENGTH;

    private @Nullable IoEventLoop loop;
    private @Nullable TunReader reader;

    @Override
    public void start(IoEventLoop on, TunReader to) {
      loop = on;
      reader = to;
    }

    @Override
    public boolean takesUdpSuperpackets() {
      return true;
    }

    @Override
    public WriteResult write(ByteBuf from, int headerOffset, int packetLength) {
      IoEventLoop on = loop;
      TunReader to = reader;
      if (on == null || to == null) {
        return WriteResult.REFUSED;
      }
      // The sums of addresses and of ports stay, so the checksums do.
      ByteBuf packet = Unpooled.directBuffer(IP + packetLength);
      packet.writeBytes(from, headerOffset, IP + packetLength);
      packet.setInt(IP + 12, from.getInt(headerOffset + IP + 16));
      packet.setInt(IP + 16, from.getInt(headerOffset + IP + 12));
      int ports = IP + IpFields.IPV4_HEADER;
      int both = packet.getInt(ports);
      packet.setInt(ports, both << 16 | both >>> 16);
      on.execute(() -> {
        to.packet(packet, 0, packetLength);
        to.batchEnd();
        packet.release();
      });
      return WriteResult.WRITTEN;
    }
  }

  /// Nothing is reported.
  private static final class NoListener implements Relay.Listener {
    @Override
    public void onProgress(List<IntervalUsage> changes, Runnable taken) {
      taken.run();
    }

    @Override
    public void onInterval(IntervalUsage usage) {}

    @Override
    public void onCredit(Session session, CreditNotice notice) {}

    @Override
    public void onLineRate(Session session, LineRate rate) {}
  }
}
