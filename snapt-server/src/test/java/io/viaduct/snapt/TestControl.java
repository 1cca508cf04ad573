package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.KeepAlive;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.ExtendedSSLSession;
import org.jspecify.annotations.Nullable;

/// The device's end of a control connection, over real TLS. It can also send messages that no
/// device would send.
public final class TestControl implements AutoCloseable {
  public final BlockingQueue<ControlMessage> received = new LinkedBlockingQueue<>();

  /// Receives the arriving datagrams.
  public volatile Consumer<ByteBuf> datagrams = _ -> {};

  /// True if KeepAlives are answered.
  public volatile boolean answering = true;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("device", true), NioIoHandler.newFactory());
  private final Channel channel;
  private final SslHandler tls;

  public TestControl(InetSocketAddress address, Path trust) throws Exception {
    this(address, trust, "viaduct/1");
  }

  public TestControl(InetSocketAddress address, Path trust, String alpn) throws Exception {
    SslContext context =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3")
            .trustManager(trust.toFile())
            .endpointIdentificationAlgorithm("HTTPS")
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    alpn))
            .build();
    // Created here, because a handshake that fails at once empties the pipeline.
    tls =
        context.newHandler(
            UnpooledByteBufAllocator.DEFAULT, address.getHostString(), address.getPort());
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel ch) {
                    ch.pipeline().addLast(tls, new Frames());
                  }
                })
            .connect(address)
            .sync()
            .channel();
    try {
      tls.handshakeFuture().sync();
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private final class Frames extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
        throws Exception {
      ByteBuf datagram = ControlFrame.readDatagram(in, UnpooledByteBufAllocator.DEFAULT);
      if (datagram != null) {
        datagrams.accept(datagram);
      } else {
        ControlFrame.read(in).ifPresent(this::take);
      }
    }

    private void take(ControlMessage message) {
      received.add(message);
      if (answering && message.hasKeepAlive() && !message.getKeepAlive().getReply()) {
        send(
            ControlMessage.newBuilder()
                .setKeepAlive(message.getKeepAlive().toBuilder().setReply(true))
                .build());
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  public byte[] exporter() throws Exception {
    return ((ExtendedSSLSession) tls.engine().getSession())
        .exportKeyingMaterialData(DeviceProof.EXPORTER_LABEL, null, DeviceProof.EXPORTER_BYTES);
  }

  public ByteString proof(KeyPair device) throws Exception {
    return ByteString.copyFrom(DeviceProof.sign(device.getPrivate(), exporter()));
  }

  /// Returns a valid Hello.
  public Hello.Builder hello(ByteString token, KeyPair device) throws Exception {
    return Hello.newBuilder()
        .setVersion(1)
        .setToken(token)
        .setProof(proof(device))
        .setReceiverIndex(77)
        .addAeads(Aead.AES_256_GCM)
        .addAllApplications(List.of("default", "ssh", "web"))
        .setPathMtu(1500)
        .setInnerIpv4(ByteString.copyFrom(InetAddress.getByName("10.64.0.2").getAddress()))
        .setInnerIpv6(ByteString.copyFrom(InetAddress.getByName("fdaa::2").getAddress()))
        .setSoftware("test");
  }

  public void send(Hello hello) {
    send(ControlMessage.newBuilder().setHello(hello).build());
  }

  public void send(ControlMessage message) {
    ByteBuf frame = Unpooled.buffer();
    ControlFrame.write(message, frame);
    channel.writeAndFlush(frame);
  }

  public void sendBytes(byte[] bytes) {
    channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
  }

  /// Writes frames of datagrams, like [io.viaduct.tunnel.control.ControlLine].
  public void write(ByteBuf frames, Runnable taken) {
    channel.writeAndFlush(frames, channel.voidPromise());
    taken.run();
  }

  /// Returns the next message that is not a KeepAlive.
  public ControlMessage next() throws InterruptedException {
    ControlMessage message = received.poll(10, TimeUnit.SECONDS);
    return message != null && message.hasKeepAlive() ? next() : message;
  }

  /// Returns the next KeepAlive, null if none comes; other messages before it are lost.
  public @Nullable KeepAlive nextKeepAlive() throws InterruptedException {
    ControlMessage message = received.poll(10, TimeUnit.SECONDS);
    return message == null
        ? null
        : message.hasKeepAlive() ? message.getKeepAlive() : nextKeepAlive();
  }

  public boolean isClosedWithin(int seconds) throws InterruptedException {
    return channel.closeFuture().await(seconds, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    if (channel != null) {
      channel.close().awaitUninterruptibly();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
