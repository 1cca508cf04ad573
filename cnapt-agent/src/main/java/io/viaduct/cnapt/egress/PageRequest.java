package io.viaduct.cnapt.egress;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Asks a page by HTTP on a socket with the agent's mark, and takes the status line and the header
/// of its answer. The connection is closed before the body, which may be of any size. Blocking.
final class PageRequest {
  static final int HTTP = 80;
  static final int HTTPS = 443;
  private static final int TIMEOUT_MS = 3000;
  private static final String TLS = "https";

  // SOL_SOCKET, SO_MARK and SO_BINDTODEVICE of asm-generic/socket.h; the latter has IFNAMSIZ bytes,
  // filled with zeros.
  private static final IntegerUnixChannelOption SO_MARK =
      new IntegerUnixChannelOption("SO_MARK", 1, 36);
  private static final int DEVICE_BYTES = 16;
  private static final RawUnixChannelOption SO_BINDTODEVICE =
      new RawUnixChannelOption("SO_BINDTODEVICE", 1, 25, DEVICE_BYTES);

  /// The beginning of an answer.
  ///
  /// @param status status code
  /// @param location value of the header field Location; empty without one
  record Answer(int status, String location) {}

  private final EventLoop loop;
  private final int mark;
  private @Nullable SslContext tls; // made for the first page that needs it

  /// @param loop of an `EpollIoHandler`
  /// @param mark SO_MARK; 0 means none
  PageRequest(EventLoop loop, int mark) {
    this.loop = loop;
    this.mark = mark;
  }

  /// Asks a page once.
  ///
  /// @param host address of the page's host
  /// @param by link that the socket is bound to; null if the kernel chooses it
  /// @throws IOException if no answer of HTTP comes within 3 s after the connection
  Answer ask(URI page, InetAddress host, @Nullable SilentLink by) throws IOException {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    boolean isEncrypted = TLS.equals(page.getScheme());
    int port = page.getPort() >= 0 ? page.getPort() : isEncrypted ? HTTPS : HTTP;
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS)
            .handler(new Exchange(page, isEncrypted ? tls() : null, port, answer));
    if (mark != 0) {
      bootstrap.option(SO_MARK, mark);
    }
    if (by != null) {
      bootstrap.option(SO_BINDTODEVICE, device(by));
    }
    var connecting = bootstrap.connect(new InetSocketAddress(host, port));
    try {
      if (!connecting.await().isSuccess()) {
        throw new IOException(String.valueOf(connecting.cause()), connecting.cause());
      }
      return answer.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + TIMEOUT_MS + " ms", e);
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e.getCause());
    } finally {
      connecting.channel().close();
    }
  }

  private SslContext tls() throws IOException {
    SslContext made = tls;
    if (made == null) {
      made = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).build();
      tls = made;
    }
    return made;
  }

  private static ByteBuffer device(SilentLink link) {
    ByteBuffer name = ByteBuffer.allocateDirect(DEVICE_BYTES);
    name.put(link.name().getBytes(StandardCharsets.UTF_8)).clear();
    return name;
  }

  private static FullHttpRequest request(URI page) {
    String path = page.getRawPath().isEmpty() ? "/" : page.getRawPath();
    String query = page.getRawQuery() == null ? "" : "?" + page.getRawQuery();
    FullHttpRequest request =
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path + query);
    request.headers().set(HttpHeaderNames.HOST, page.getRawAuthority());
    request.headers().set(HttpHeaderNames.CONNECTION, "close");
    request.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
    return request;
  }

  private static final class Exchange extends ChannelInitializer<Channel> {
    private final URI page;
    private final @Nullable SslContext tls;
    private final int port;
    private final CompletableFuture<Answer> answer;

    Exchange(URI page, @Nullable SslContext tls, int port, CompletableFuture<Answer> answer) {
      this.page = page;
      this.tls = tls;
      this.port = port;
      this.answer = answer;
    }

    @Override
    protected void initChannel(Channel channel) {
      if (tls != null) {
        channel.pipeline().addLast(tls.newHandler(channel.alloc(), page.getHost(), port));
      }
      channel.pipeline().addLast(new HttpClientCodec(), new Head());
    }

    private final class Head extends SimpleChannelInboundHandler<HttpObject> {
      @Override
      public void channelActive(ChannelHandlerContext context) {
        context.writeAndFlush(request(page));
      }

      @Override
      protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
        if (!part.decoderResult().isSuccess()) {
          answer.completeExceptionally(part.decoderResult().cause());
        } else if (part instanceof HttpResponse head) {
          String location = head.headers().get(HttpHeaderNames.LOCATION, "");
          answer.complete(new Answer(head.status().code(), location));
        }
      }

      @Override
      public void channelInactive(ChannelHandlerContext context) {
        answer.completeExceptionally(new IOException("closed without an answer"));
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        answer.completeExceptionally(cause);
      }
    }
  }
}
