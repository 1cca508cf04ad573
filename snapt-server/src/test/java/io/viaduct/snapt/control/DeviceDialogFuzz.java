package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.TestIssuer;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrame.MalformedFrameException;
import io.viaduct.tunnel.control.ControlScript;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.session.ControlLine;
import io.viaduct.tunnel.session.TunnelLimits;
import io.viaduct.usage.v1.SessionToken;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// What a device says on a control connection, and what the SNAPT makes of it: Hello, tokens,
/// keep-alives, datagrams, Goodbye. Input: one octet (bit 0: a valid Hello has come before; bits
/// 1–7: how many octets come at a time, 0: all), the bytes above TLS. Rules: the connection ends
/// once, for a reason of the protocol that is counted, and nothing is said after that; without the
/// valid Hello there is no session, and nobody's datagrams reach one; each keep-alive is answered
/// with its number; words are fit for a log and a terminal; every buffer is released.
public final class DeviceDialogFuzz implements SessionCarrier {
  private static final Set<ConnectionEnd> REASONS =
      EnumSet.of(
          ConnectionEnd.FRAME_MALFORMED,
          ConnectionEnd.UNEXPECTED_MESSAGE,
          ConnectionEnd.REFUSED,
          ConnectionEnd.SESSION_ENDED);
  private static final InetSocketAddress DEVICE = new InetSocketAddress("192.0.2.7", 50_000);
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final long NOW_MS = 1_790_000_000_000L;
  private static final int WORDS_MAX = 400;
  private static final byte[] EXPORTER = new byte[DeviceProof.EXPORTER_BYTES];
  private static final TestIssuer ISSUER = new TestIssuer();
  private static final TokenVerifier VERIFIER = ISSUER.verifier();
  private static final SslContext TLS = tls();
  private static final ControlMessage HELLO = message(validHello());

  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
  private final EmbeddedChannel channel =
      new EmbeddedChannel() {
        @Override
        protected @Nullable SocketAddress remoteAddress0() {
          return isActive() ? DEVICE : null;
        }
      };
  private final ControlServer server;
  private final List<ControlMessage> said = new ArrayList<>();
  private final boolean welcomed;
  private int sessions;
  private String breach = "";

  private DeviceDialogFuzz(boolean welcomed) {
    this.welcomed = welcomed;
    channel.config().setAllocator(memory);
    var pool = new AddressPool(Prefix.of("10.9.0.0/24"), Prefix.of("fd09::/64"));
    server =
        new ControlServer(
            new ControlServer.Settings(
                "snapt-1", 1, 8, 8, LONG, LONG, LONG, 443, new TunnelLimits(1500, 0), List.of()),
            TLS,
            channel.eventLoop(),
            VERIFIER,
            new SessionRegistry(8, LONG, pool, this, () -> false, new Random(42)),
            () -> Instant.ofEpochMilli(NOW_MS));
    ControlConnection connection = new ControlConnection(server);
    connection.speak(channel);
    connection.secured(EXPORTER);
  }

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 1) {
      return;
    }
    int piece = input[0] >> 1 & 0x7F;
    new DeviceDialogFuzz((input[0] & 1) != 0)
        .run(Unpooled.wrappedBuffer(input, 1, input.length - 1), piece == 0 ? 65_536 : piece);
  }

  private void run(ByteBuf bytes, int piece) {
    if (welcomed) {
      channel.writeInbound(frames(HELLO));
    }
    List<Long> asked = ControlScript.asked(bytes.duplicate());
    while (bytes.isReadable() && channel.isOpen()) {
      channel.writeInbound(bytes.readRetainedSlice(Math.min(piece, bytes.readableBytes())));
    }
    channel.checkException();
    listen();
    require(breach.isEmpty(), breach);
    require(sessions == (welcomed ? 1 : 0), sessions + " sessions, said " + said);
    requireEnd();
    List<Long> answered =
        said.stream()
            .filter(ControlMessage::hasKeepAlive)
            .map(m -> m.getKeepAlive())
            .peek(answer -> require(answer.getReply(), "asked within a moment"))
            .map(KeepAlive::getNumber)
            .toList();
    require(
        answered.equals(asked.subList(0, welcomed ? answered.size() : 0))
            && (!channel.isOpen() || !welcomed || answered.size() == asked.size()),
        "asked " + asked + ", answered " + answered);
    channel.finishAndReleaseAll();
    require(memory.metric().usedDirectMemory() == 0, "a buffer was not released");
  }

  /// Open, or ended once for a reason of the protocol, which is the last that was said.
  private void requireEnd() {
    long ends = 0;
    for (ConnectionEnd why : ConnectionEnd.values()) {
      require(REASONS.contains(why) || server.ends().of(why) == 0, "ended: " + why);
      ends += server.ends().of(why);
    }
    require(ends == (channel.isOpen() ? 0 : 1), ends + " ends, open " + channel.isOpen());
    long last = said.stream().filter(each -> each.hasRefusal() || each.hasGoodbye()).count();
    boolean told =
        server.ends().of(ConnectionEnd.REFUSED) + server.ends().of(ConnectionEnd.SESSION_ENDED) > 0;
    require(last == (told ? 1 : 0), "said " + said);
    if (told) {
      ControlMessage words = said.getLast();
      requireWords(
          words.hasRefusal() ? words.getRefusal().getDetail() : words.getGoodbye().getReason());
    }
  }

  private void listen() {
    for (ByteBuf frame = channel.readOutbound(); frame != null; frame = channel.readOutbound()) {
      try {
        said.add(ControlFrame.read(frame).orElseThrow());
        require(!frame.isReadable(), "more than a frame");
      } catch (MalformedFrameException e) {
        throw new AssertionError("the SNAPT's own frame", e);
      } finally {
        frame.release();
      }
    }
    require(said.stream().filter(ControlMessage::hasWelcome).count() == sessions, "said " + said);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  private static void requireWords(String words) {
    require(
        words.length() <= WORDS_MAX && words.chars().noneMatch(Character::isISOControl),
        "not fit for a terminal: " + words);
  }

  @Override
  public int loops() {
    return 1;
  }

  @Override
  public void carry(Session session) {
    sessions++;
  }

  @Override
  public void control(Session session, ControlLine.@Nullable Connection connection) {}

  // A handler of Netty's would swallow what is thrown here: the first breach is kept.
  @Override
  public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {
    for (ByteBuf datagram : datagrams) {
      if (!welcomed || !datagram.isDirect() || !datagram.release()) {
        breach = "a datagram that is not the session's: " + datagram;
      }
    }
    taken.run();
  }

  @Override
  public void end(Session session) {}

  private static SslContext tls() {
    try {
      return SslContextBuilder.forClient().build(); // nobody connects
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Hello validHello() {
    try {
      KeyPair device = Ed25519.generate();
      SessionToken token =
          SessionToken.newBuilder()
              .setTokenId("t")
              .setAccount("alice")
              .setDeviceKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) device.getPublic())))
              .setAudience(TestIssuer.AUDIENCE)
              .setNotBeforeMs(NOW_MS - 1000)
              .setExpiresMs(NOW_MS + 1000)
              .build();
      return Hello.newBuilder()
          .setVersion(ControlFrame.VERSION)
          .setToken(ISSUER.sign(token.toByteString()))
          .setProof(ByteString.copyFrom(DeviceProof.sign(device.getPrivate(), EXPORTER)))
          .addAeads(Aead.AES_256_GCM)
          .setPathMtu(1500)
          .setInnerIpv4(ByteString.copyFrom(new byte[] {10, 64, 0, 2}))
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ControlMessage message(Hello hello) {
    return ControlMessage.newBuilder().setHello(hello).build();
  }

  private static ByteBuf frames(ControlMessage... messages) {
    ByteBuf frames = Unpooled.buffer();
    for (ControlMessage message : messages) {
      ControlFrame.write(message, frames);
    }
    return frames;
  }

  private static byte[] input(int octet, ByteBuf frames) {
    return ByteBufUtil.getBytes(
        Unpooled.wrappedBuffer(new byte[] {(byte) octet}, ByteBufUtil.getBytes(frames)));
  }

  public static List<byte[]> seeds() {
    ControlMessage alive =
        ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(7)).build();
    ControlMessage goodbye =
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("over")).build();
    ControlMessage token =
        ControlMessage.newBuilder()
            .setTokenUpdate(TokenUpdate.newBuilder().setToken(HELLO.getHello().getToken()))
            .build();
    ControlMessage forged =
        message(Hello.newBuilder().setVersion(1).setToken(ByteString.copyFromUtf8("t")).build());
    ByteBuf datagrams = frames(alive);
    ControlFrame.writeDatagrams(Unpooled.wrappedBuffer(new byte[40]), 20, datagrams);
    return List.of(
        input(0, frames(forged)),
        input(0, frames(message(Hello.newBuilder().setVersion(9).build()))),
        input(0, datagrams.duplicate()),
        input(0, frames(alive)),
        input(1, datagrams.duplicate()),
        input(1 | 3 << 1, frames(alive, token)),
        input(1, frames(alive, goodbye, alive)),
        input(1, frames(forged)),
        input(1, Unpooled.wrappedBuffer(new byte[] {2, 0, 0, 0})));
  }
}
