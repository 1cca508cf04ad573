package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Welcome;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/// The SNAPT's end of a control connection, over real TCP and TLS 1.3. The test defines its
/// answers.
final class TestSnapt implements AutoCloseable {
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final SslContext tls;
  private final String protocol;
  private final BiConsumer<TestSnapt.Client, ControlMessage> answers;
  final Queue<ControlMessage> received = new ConcurrentLinkedQueue<>();
  final Queue<Client> clients = new ConcurrentLinkedQueue<>();
  private final Channel listening;

  /// One accepted connection.
  final class Client {
    private final Channel channel;
    private final SSLEngine engine;

    private Client(Channel channel, SSLEngine engine) {
      this.channel = channel;
      this.engine = engine;
    }

    void send(ControlMessage.Builder message) {
      ByteBuf frame = channel.alloc().buffer();
      ControlFrame.write(message.build(), frame);
      channel.writeAndFlush(frame);
    }

    void sendRaw(byte... bytes) {
      channel.writeAndFlush(channel.alloc().buffer().writeBytes(bytes));
    }

    void close() {
      channel.close();
    }

    boolean isOpen() {
      return channel.isOpen();
    }

    byte[] exporter() throws Exception {
      return ((ExtendedSSLSession) engine.getSession())
          .exportKeyingMaterialData(DeviceProof.EXPORTER_LABEL, null, DeviceProof.EXPORTER_BYTES);
    }
  }

  static X509Bundle authority(String name) throws Exception {
    return new CertificateBuilder()
        .subject("CN=" + name)
        .setIsCertificateAuthority(true)
        .setKeyUsage(
            true,
            CertificateBuilder.KeyUsage.keyCertSign,
            CertificateBuilder.KeyUsage.digitalSignature)
        .buildSelfSigned();
  }

  static X509Bundle certificate(X509Bundle authority, String commonName, String address)
      throws Exception {
    return new CertificateBuilder()
        .subject("CN=" + commonName)
        .addSanIpAddress(address)
        .buildIssuedBy(authority);
  }

  static ControlMessage.Builder welcome(String session, boolean resumed) {
    return ControlMessage.newBuilder()
        .setWelcome(
            Welcome.newBuilder()
                .setSessionId(session)
                .setSecret(resumed ? ByteString.EMPTY : ByteString.copyFrom(new byte[32]))
                .setResumed(resumed)
                .setReceiverIndex(7)
                .setAead(Aead.AES_256_GCM)
                .setDataPort(7000)
                .setPathMtu(1400)
                .setSnaptId("snapt-1"));
  }

  static void welcomeAll(TestSnapt.Client to, ControlMessage message) {
    if (message.hasHello()) {
      String resume = message.getHello().getResumeSessionId();
      to.send(resume.isEmpty() ? welcome("s1", false) : welcome(resume, true));
    }
  }

  TestSnapt(X509Bundle certificate, String protocol, BiConsumer<Client, ControlMessage> answers)
      throws Exception {
    this(certificate, protocol, 0, answers);
  }

  /// @param port TCP port to listen on, 0 for any free port
  TestSnapt(
      X509Bundle certificate, String protocol, int port, BiConsumer<Client, ControlMessage> answers)
      throws Exception {
    this.tls =
        SslContextBuilder.forServer(
                certificate.getKeyPair().getPrivate(), certificate.getCertificatePath())
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3")
            .build();
    this.protocol = protocol;
    this.answers = answers;
    this.listening =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind("127.0.0.1", port)
            .sync()
            .channel();
  }

  int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  private void accept(Channel channel) {
    SSLEngine engine = tls.newEngine(channel.alloc());
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(
        protocol.isEmpty() ? new String[0] : new String[] {protocol});
    engine.setSSLParameters(parameters);
    Client client = new Client(channel, engine);
    clients.add(client);
    channel
        .pipeline()
        .addLast(new SslHandler(engine))
        .addLast(
            new ByteToMessageDecoder() {
              @Override
              protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
                  throws Exception {
                ControlFrame.read(in).ifPresent(out::add);
              }
            })
        .addLast(
            new SimpleChannelInboundHandler<ControlMessage>() {
              @Override
              protected void channelRead0(ChannelHandlerContext context, ControlMessage message) {
                received.add(message);
                answers.accept(client, message);
              }

              @Override
              public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                context.close();
              }
            });
  }

  @Override
  public void close() {
    if (loop.isShuttingDown()) {
      return;
    }
    listening.close().syncUninterruptibly();
    // A loop that shuts down may leave a connection open that still waits for its close_notify.
    clients.forEach(client -> client.channel.close().awaitUninterruptibly(2_000));
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
