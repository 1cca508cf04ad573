package io.viaduct.cnapt.peer;

import com.google.protobuf.ByteString;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.viaduct.cnapt.control.DatagramFrames;
import io.viaduct.cnapt.control.FrameDecoder;
import io.viaduct.service.throttle.ConnectionGate;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.HandshakeBytes;
import io.viaduct.service.tls.PinnedKey;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.HelloTerms;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The TLS server of a peer that listens. It accepts one other end, that with the key of the
/// configuration, and holds one session with it. A later connection of the other end replaces the
/// earlier one. All state belongs to the control event loop.
public final class PeerServer {
  private static final Logger LOG = LoggerFactory.getLogger(PeerServer.class);

  // The other end needs one connection, and another one while it replaces the first.
  private static final int CONNECTIONS_MAX = 16;
  private static final int CONNECTIONS_PER_ADDRESS_MAX = 4;

  // A TLS handshake and one Hello of the largest size.
  private static final int HANDSHAKE_BYTES_MAX = 2 * ControlFrame.BODY_BYTES_MAX;
  private static final long CLOSE_MS_MAX = 1_000;

  private final EventLoop loop;
  private final SslContext tls;
  private final PublicKey peerKey;
  private final TunnelLimits limits;
  private final int handshakeMs;
  private final PeerListener listener;
  private final SecureRandom random = new SecureRandom();
  private final FailedHandshakeLog failedHandshakes;
  private final ConnectionGate gate =
      new ConnectionGate(CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX);
  private final AtomicLongArray refusals = new AtomicLongArray(PeerRefusal.values().length);
  private final List<Channel> listening = new ArrayList<>();
  private @Nullable Welcome session; // without its secret
  private @Nullable PeerConnection current;
  private int dataPort;

  /// @param own key pair of this end
  /// @param peerKey the other end's public key, 32 bytes
  /// @param limits limits of this end
  /// @param handshakeMs longest time for TLS and Hello together
  public PeerServer(
      EventLoop loop,
      KeyPair own,
      byte[] peerKey,
      TunnelLimits limits,
      int handshakeMs,
      InstantSource clock,
      PeerListener listener) {
    this.loop = loop;
    this.tls = PinnedKey.server(own, ControlFrame.ALPN);
    this.peerKey = Ed25519.publicKey(peerKey);
    this.limits = limits;
    this.handshakeMs = handshakeMs;
    this.listener = listener;
    this.failedHandshakes = new FailedHandshakeLog("peer connections", clock);
  }

  /// Starts to accept connections. Blocks until all addresses are bound.
  ///
  /// @param addresses where to listen; port 0 takes any free port
  /// @param udpPort port of the datagrams, which the Welcome names
  /// @return the addresses with their ports
  /// @throws IOException if an address cannot be bound; the message names it and says what to do
  public List<InetSocketAddress> start(List<InetSocketAddress> addresses, int udpPort)
      throws IOException {
    dataPort = udpPort;
    List<InetSocketAddress> bound = new ArrayList<>();
    for (InetSocketAddress each : addresses) {
      Channel channel = bind(each);
      listening.add(channel);
      bound.add((InetSocketAddress) channel.localAddress());
    }
    LOG.info("listening for the peer at {}, datagrams at port {}", bound, udpPort);
    return List.copyOf(bound);
  }

  private Channel bind(InetSocketAddress address) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, ControlFrame.NOT_SENT_BYTES_MAX)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen for the peer at %s: %s: peer.listen must name addresses of this host, and peer.port a free port"
              .formatted(address, bound.cause().getMessage()),
          bound.cause());
    }
    return bound.channel();
  }

  private void accept(Channel channel) {
    InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
    ConnectionGate.Limit reached = gate.enter(from.getAddress());
    if (reached != null) {
      count(PeerRefusal.of(reached));
      channel.close();
      return;
    }
    channel.closeFuture().addListener(_ -> gate.leave(from.getAddress()));
    PeerConnection connection = new PeerConnection(this, channel);
    SslHandler handler = tls.newHandler(channel.alloc());
    handler.setHandshakeTimeout(handshakeMs, TimeUnit.MILLISECONDS);
    channel
        .pipeline()
        .addLast(
            new HandshakeBytes(
                HANDSHAKE_BYTES_MAX,
                connection::isWelcomed,
                () -> connection.end(PeerRefusal.HANDSHAKE_BYTES)),
            handler,
            new FrameDecoder(),
            connection,
            new DatagramFrames(channel, connection::datagrams));
  }

  /// Answers a Hello. The proof is checked before anything else.
  void hello(PeerConnection from, Hello hello, byte[] exporter) {
    if (!isProved(hello, exporter)) {
      failedHandshakes.failed(from.from(), "it does not prove the key of peer.key");
      from.refuse(
          PeerRefusal.KEY_REFUSED,
          RefusalCode.PROOF_INVALID,
          "the key is not that of peer.key here: compare the keys of both configurations");
      return;
    }
    if (hello.getVersion() != ControlFrame.VERSION) {
      from.refuse(
          PeerRefusal.HELLO_REFUSED,
          RefusalCode.VERSION_UNSUPPORTED,
          "this peer speaks version 1, got " + hello.getVersion());
      return;
    }
    Welcome known = session;
    boolean resumes = known != null && hello.getResumeSessionId().equals(known.getSessionId());
    try {
      accept(from, known != null && resumes ? known : null, hello);
    } catch (HelloTerms.RefusedException e) {
      from.refuse(PeerRefusal.HELLO_REFUSED, e.code(), String.valueOf(e.getMessage()));
    }
  }

  private boolean isProved(Hello hello, byte[] exporter) {
    try {
      return DeviceProof.verify(peerKey, exporter, hello.getProof().toByteArray());
    } catch (GeneralSecurityException _) {
      return false; // the configured bytes are no key, so no proof fits them
    }
  }

  private void accept(PeerConnection from, @Nullable Welcome resumed, Hello hello)
      throws HelloTerms.RefusedException {
    TunnelTerms terms = null;
    Welcome answer;
    if (resumed != null) {
      answer = resumed.toBuilder().setResumed(true).build();
    } else {
      SessionSecret secret = SessionSecret.draw(random);
      byte[] revealed = secret.reveal();
      terms = HelloTerms.of(hello, secret, limits);
      if (!terms.limits().hasMeasurements()) {
        throw new HelloTerms.RefusedException(
            RefusalCode.HELLO_MALFORMED,
            "a peer must offer several paths and the feature MEASUREMENTS");
      }
      Welcome begun = welcome(terms);
      session = begun;
      answer = begun.toBuilder().setSecret(ByteString.copyFrom(revealed)).build();
    }
    PeerConnection before = current;
    current = from;
    if (before != null && before != from) {
      before.leave("the peer has connected again");
    }
    from.welcome(answer);
    Accepted accepted =
        new Accepted(answer.toBuilder().clearSecret().build(), terms, from.from(), from);
    LOG.info("{}", accepted);
    listener.accepted(accepted);
  }

  private Welcome welcome(TunnelTerms terms) {
    return Welcome.newBuilder()
        .setSessionId(UUID.randomUUID().toString())
        .setReceiverIndex(random.nextInt(1, DatagramHeader.RECEIVER_INDEX_MAX + 1))
        .setAead(HelloTerms.wire(terms.aead()))
        .setDataPort(dataPort)
        .setPathMtu(terms.limits().pathMtu())
        .setHistoryBytes(terms.limits().historyBytes())
        .setPaths(terms.limits().paths())
        .addAllFeatures(terms.limits().features())
        .build();
  }

  /// Takes datagrams of the connection that owns the session; those of others are dropped.
  void datagrams(PeerConnection from, List<ByteBuf> datagrams, Runnable taken) {
    if (from == current) {
      listener.datagrams(datagrams, taken);
    } else {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  void closed(PeerConnection connection, String why) {
    if (connection == current) {
      current = null;
      LOG.info("the control connection of the peer is lost: {}", why);
      listener.lost(why);
    }
  }

  void count(PeerRefusal why) {
    refusals.incrementAndGet(why.ordinal());
  }

  int handshakeMs() {
    return handshakeMs;
  }

  FailedHandshakeLog failedHandshakes() {
    return failedHandshakes;
  }

  /// Returns the number of connections that were refused for this reason; any thread may call this.
  public long refusals(PeerRefusal why) {
    return refusals.get(why.ordinal());
  }

  /// Returns the reasons for which connections were refused, with their counts; any thread may call
  /// this.
  public Map<String, Long> refusals() {
    Map<String, Long> found = new TreeMap<>();
    for (PeerRefusal why : PeerRefusal.values()) {
      if (refusals(why) > 0) {
        found.put(why.label(), refusals(why));
      }
    }
    return found;
  }

  /// Stops to accept connections, and says goodbye to the other end. Blocks until then.
  public void close(String reason) {
    listening.forEach(each -> each.close().awaitUninterruptibly());
    loop.submit(
            () -> {
              PeerConnection open = current;
              current = null;
              if (open != null) {
                open.leave(reason);
              }
            })
        .awaitUninterruptibly(CLOSE_MS_MAX);
  }
}
