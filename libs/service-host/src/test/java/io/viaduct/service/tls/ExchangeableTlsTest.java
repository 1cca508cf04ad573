package io.viaduct.service.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExchangeableTlsTest {
  @TempDir Path folder;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  @AfterEach
  void stop() {
    loops.shutdownGracefully().awaitUninterruptibly();
  }

  private int serve(SslContext tls) {
    Channel channel =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel accepted) {
                    accepted
                        .pipeline()
                        .addLast(
                            tls.newHandler(accepted.alloc()), new ChannelInboundHandlerAdapter());
                  }
                })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  @Test
  void aHandshakeUsesTheNewestFilesWhileAnOldConnectionLivesOn() throws Exception {
    TestAuthority authority = new TestAuthority(folder);
    TlsMaterial first = authority.material("server");
    ExchangeableTls tls = new ExchangeableTls(first);
    int port = serve(tls.context(files -> files.server(ClientAuth.NONE)));
    try (TlsProbe old = TlsProbe.connect(port, List.of(), first.authorities())) {
      TlsMaterial renewed = authority.material("server");
      Runnable exchange = tls.prepare(renewed);
      try (TlsProbe before = TlsProbe.connect(port, List.of(), first.authorities())) {
        assertThat(before.certificate()).isEqualTo(first.chain().getFirst());
      }
      exchange.run();
      try (TlsProbe after = TlsProbe.connect(port, List.of(), first.authorities())) {
        assertThat(after.certificate()).isEqualTo(renewed.chain().getFirst());
      }
      assertThat(tls.get()).isSameAs(renewed);
      assertThat(old.isOpen()).isTrue();
    }
  }

  @Test
  void anAuthorityThatIsTakenOutIsOutAtOnce() throws Exception {
    TlsMaterial ours = new TestAuthority(folder.resolve("ours")).material("server");
    TlsMaterial theirs = new TestAuthority(folder.resolve("theirs")).material("server");
    ExchangeableTls tls = new ExchangeableTls(ours);
    int port = serve(tls.context(files -> files.server(ClientAuth.NONE)));
    TlsProbe.connect(port, List.of(), ours.authorities()).close();
    tls.prepare(theirs).run();
    assertThatThrownBy(() -> TlsProbe.connect(port, List.of(), ours.authorities()))
        .isInstanceOf(SSLHandshakeException.class);
  }
}
