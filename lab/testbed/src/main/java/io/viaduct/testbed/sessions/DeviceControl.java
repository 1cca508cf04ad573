package io.viaduct.testbed.sessions;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageCodec;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlFrames;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.KeepAliveWatch;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;

/// A device's control connection: Hello, Welcome, and keep-alives with the agent's rule and its
/// default period.
final class DeviceControl extends ByteToMessageCodec<ControlMessage> {
  private static final long KEEP_ALIVE_MS = 10_000;
  private static final List<String> APPLICATIONS =
      IntStream.range(0, 24).mapToObj(i -> "application-" + i).toList();

  private final ByteString token;
  private final KeyPair device;
  private final int receiverIndex;
  private final CompletableFuture<Welcome> welcome = new CompletableFuture<>();
  private final KeepAliveWatch watch = new KeepAliveWatch(KEEP_ALIVE_MS);
  private final ControlFrames frames = new ControlFrames();
  private final List<Object> read = new ArrayList<>();
  private long lastReceivedNs;
  private long number;

  DeviceControl(ByteString token, KeyPair device, int receiverIndex) {
    this.token = token;
    this.device = device;
    this.receiverIndex = receiverIndex;
  }

  /// Completes with the SNAPT's Welcome, or with the failure.
  CompletableFuture<Welcome> welcome() {
    return welcome;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
      context.channel().writeAndFlush(ControlMessage.newBuilder().setHello(hello(context)).build());
    }
    super.userEventTriggered(context, event);
  }

  private Hello hello(ChannelHandlerContext context) throws SSLException, GeneralSecurityException {
    var tls = (ExtendedSSLSession) context.pipeline().get(SslHandler.class).engine().getSession();
    byte[] exporter =
        tls.exportKeyingMaterialData(DeviceProof.EXPORTER_LABEL, null, DeviceProof.EXPORTER_BYTES);
    return Hello.newBuilder()
        .setVersion(1)
        .setToken(token)
        .setProof(ByteString.copyFrom(DeviceProof.sign(device.getPrivate(), exporter)))
        .setReceiverIndex(receiverIndex)
        .addAeads(Aead.AES_256_GCM)
        .addAllApplications(APPLICATIONS)
        .setPathMtu(1500)
        .setInnerIpv4(ByteString.copyFrom(InetAddress.ofLiteral(Packets.DEVICE).getAddress()))
        .setSoftware("viaduct bench sessions")
        .build();
  }

  @Override
  protected void encode(ChannelHandlerContext context, ControlMessage message, ByteBuf out) {
    ControlFrame.write(message, out);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws ControlFrame.MalformedFrameException {
    frames.read(in, context.alloc(), read);
    for (Object each : read) {
      if (each instanceof ControlMessage message) {
        received(context, message);
      } else {
        ReferenceCountUtil.release(each); // this device takes datagrams by UDP only
      }
    }
    read.clear();
  }

  private void received(ChannelHandlerContext context, ControlMessage message) {
    lastReceivedNs = context.executor().ticker().nanoTime();
    if (message.hasWelcome()) {
      watch(context);
      welcome.complete(message.getWelcome());
    } else if (message.hasKeepAlive() && !message.getKeepAlive().getReply()) {
      keepAlive(context, message.getKeepAlive().getNumber(), true);
    } else if (message.hasRefusal() || message.hasGoodbye()) {
      welcome.completeExceptionally(new IllegalStateException(message.toString()));
    }
  }

  private void watch(ChannelHandlerContext context) {
    var unused =
        context
            .executor()
            .schedule(() -> checkSilence(context), KEEP_ALIVE_MS, TimeUnit.MILLISECONDS);
  }

  private void checkSilence(ChannelHandlerContext context) {
    if (!context.channel().isActive()) {
      return;
    }
    long silentNs = context.executor().ticker().nanoTime() - lastReceivedNs;
    if (watch.ask(TimeUnit.NANOSECONDS.toMillis(silentNs), true) == KeepAliveWatch.Decision.SEND) {
      keepAlive(context, ++number, false);
    }
    watch(context);
  }

  private static void keepAlive(ChannelHandlerContext context, long number, boolean reply) {
    context
        .channel()
        .writeAndFlush(
            ControlMessage.newBuilder()
                .setKeepAlive(KeepAlive.newBuilder().setNumber(number).setReply(reply))
                .build());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    welcome.completeExceptionally(new IllegalStateException("the SNAPT closed the connection"));
    super.channelInactive(context);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    welcome.completeExceptionally(cause);
    context.close();
  }
}
