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
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Asks a page of the Internet by HTTP, on a socket with the agent's mark. A captive portal answers
/// in its place: with a redirection (RFC 9110 15.4), with 511 (RFC 6585), or with a page of its
/// own. Blocking.
final class PortalProbe {
  private static final int TIMEOUT_MS = 3000;
  private static final int ANSWER_BYTES_MAX = 64 * 1024;
  private static final int PORT = 80;
  private static final int OK = 200;
  private static final int NO_CONTENT = 204;
  private static final int AUTHENTICATION_REQUIRED = 511;

  // SOL_SOCKET and SO_MARK of asm-generic/socket.h.
  private static final IntegerUnixChannelOption SO_MARK =
      new IntegerUnixChannelOption("SO_MARK", 1, 36);

  private final EventLoop loop;
  private final int mark;

  PortalProbe(EventLoop loop, int mark) {
    this.loop = loop;
    this.mark = mark;
  }

  /// Asks a page once.
  PortalFinding probe(URI page) {
    CompletableFuture<PortalFinding> finding = new CompletableFuture<>();
    Channel channel = null;
    try {
      InetAddress host = InetAddress.getByName(page.getHost());
      int port = page.getPort() < 0 ? PORT : page.getPort();
      channel =
          new Bootstrap()
              .group(loop)
              .channel(EpollSocketChannel.class)
              .option(SO_MARK, mark)
              .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS)
              .handler(new Exchange(page, finding))
              .connect(new InetSocketAddress(host, port))
              .syncUninterruptibly()
              .channel();
      return finding.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new PortalFinding.Unknown("interrupted");
    } catch (TimeoutException _) {
      return new PortalFinding.Unknown("no answer within " + TIMEOUT_MS + " ms");
    } catch (ExecutionException e) {
      return new PortalFinding.Unknown(String.valueOf(e.getCause()));
    } catch (Exception e) { // Netty throws the connect's IOException without declaring it
      return new PortalFinding.Unknown(e.toString());
    } finally {
      if (channel != null) {
        channel.close();
      }
    }
  }

  private static PortalFinding judge(URI page, FullHttpResponse answer) {
    int code = answer.status().code();
    if (code == NO_CONTENT) {
      return new PortalFinding.Open();
    }
    if (answer.status().codeClass() == HttpStatusClass.REDIRECTION) {
      return redirected(page, answer.headers().get(HttpHeaderNames.LOCATION, ""));
    }
    return code == OK || code == AUTHENTICATION_REQUIRED
        ? new PortalFinding.Portal(page)
        : new PortalFinding.Unknown("the page answered " + code);
  }

  private static PortalFinding redirected(URI page, String location) {
    try {
      URI target = page.resolve(location);
      if ("https".equals(target.getScheme()) && page.getHost().equals(target.getHost())) {
        return new PortalFinding.Unknown("the host itself answered: it wants TLS");
      }
      boolean isWeb = "http".equals(target.getScheme()) || "https".equals(target.getScheme());
      return isWeb && target.getHost() != null
          ? new PortalFinding.Portal(target)
          : new PortalFinding.Unknown("a redirection to no page of the web");
    } catch (IllegalArgumentException _) {
      return new PortalFinding.Unknown("a redirection to no address");
    }
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
    private final CompletableFuture<PortalFinding> finding;

    Exchange(URI page, CompletableFuture<PortalFinding> finding) {
      this.page = page;
      this.finding = finding;
    }

    @Override
    protected void initChannel(Channel channel) {
      channel
          .pipeline()
          .addLast(
              new HttpClientCodec(),
              new HttpObjectAggregator(ANSWER_BYTES_MAX),
              new SimpleChannelInboundHandler<FullHttpResponse>() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                  context.writeAndFlush(request(page));
                }

                @Override
                protected void channelRead0(
                    ChannelHandlerContext context, FullHttpResponse answer) {
                  finding.complete(judge(page, answer));
                }

                @Override
                public void channelInactive(ChannelHandlerContext context) {
                  finding.completeExceptionally(new IOException("closed without an answer"));
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                  finding.completeExceptionally(cause);
                }
              });
    }
  }
}
