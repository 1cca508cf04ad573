package io.viaduct.cnapt.control;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.service.tls.CommonName;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.ControlMessage;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/// One TLS connection to one SNAPT, from its first packet to its end. Calls its owner when it is
/// open (certificate checked, nothing sent), for each message, and once for its end. Owner: the
/// control event loop.
final class ControlConnection implements ControlLine.Connection {
  /// The owner of the connection; called on the control event loop.
  interface Owner {
    void opened(ControlConnection connection, SSLSession tls) throws SSLException;

    void received(ControlConnection connection, ControlMessage message);

    /// @param taken run, on any thread, after the datagrams were opened and released
    void datagrams(ControlConnection connection, List<ByteBuf> datagrams, Runnable taken);

    void ended(ControlConnection connection, ControlFailure why, String detail);
  }

  private static final IntegerUnixChannelOption TCP_MAXSEG =
      new IntegerUnixChannelOption("TCP_MAXSEG", 6, 2);

  // Every path carries this segment size (RFC 9293 section 3.7.1). Larger segments might never
  // arrive where ICMP is dropped, because this connection does not probe the path MTU.
  private static final int SEGMENT_BYTES = 536;

  private final Snapt snapt;
  private final Owner owner;
  private final Bootstrap bootstrap;
  private final InetSocketAddress address;
  private @Nullable UsableLink link;
  private @Nullable Channel channel;
  private boolean ended;

  /// @param way link and address
  ControlConnection(
      Snapt snapt,
      ControlWay way,
      SslContext tls,
      int mark,
      int timeoutMs,
      EventLoop loop,
      Owner owner) {
    this.snapt = snapt;
    this.owner = owner;
    this.address = new InetSocketAddress(way.address(), snapt.controlPort());
    this.link = way.link();
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMs)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(TCP_MAXSEG, SEGMENT_BYTES)
            .option(EpollChannelOption.TCP_NOTSENT_LOWAT, ControlFrame.NOT_SENT_BYTES_MAX)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel made) {
                    fill(made, tls, timeoutMs);
                  }
                });
    way.bind(bootstrap, mark);
  }

  /// Returns whether the connection can go on by one of these links: its own is there, with the
  /// connection's address. TCP repeats what a short absence has lost, so without any link it can go
  /// on later. A connection whose link the kernel has chosen is bound to it from here on.
  boolean isHeldBy(List<UsableLink> links) {
    Channel open = channel;
    if (links.isEmpty() || open == null) {
      return true;
    }
    UsableLink bound = link;
    if (!(open.localAddress() instanceof InetSocketAddress own) || !open.isActive()) {
      return bound == null || links.contains(bound); // it still connects
    }
    UsableLink holding = ControlWay.holding(links, own.getAddress(), bound);
    if (holding != null && bound == null) {
      ControlWay.bind(open, holding);
    }
    link = holding == null ? bound : holding;
    return holding != null;
  }

  /// Returns whether the connection is bound to the link with this name, and leads to the place.
  boolean isBy(String linkName, Remote remote) {
    UsableLink bound = link;
    return bound != null && bound.name().equals(linkName) && remote.has(address.getAddress());
  }

  /// Starts to connect. The owner may be called before this returns.
  void connect() {
    ChannelFuture connecting = bootstrap.connect(address);
    Channel made = connecting.channel();
    channel = made;
    connecting.addListener(done -> {
      if (done.isSuccess()) {
        made.closeFuture().addListener(_ -> end(ControlFailure.CLOSED, "closed by the SNAPT"));
      } else {
        end(failureOf(done.cause()), wordsOf(done.cause()));
      }
    });
  }

  private void fill(Channel made, SslContext tls, int timeoutMs) {
    SSLEngine engine = tls.newEngine(made.alloc(), snapt.host(), snapt.controlPort());
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {ControlFrame.ALPN});
    engine.setSSLParameters(parameters);
    SslHandler handler = new SslHandler(engine);
    handler.setHandshakeTimeout(timeoutMs, TimeUnit.MILLISECONDS);
    made.pipeline().addLast(handler);
    speak(made, engine);
  }

  /// Adds the handlers above TLS to a channel.
  void speak(Channel made, SSLEngine engine) {
    channel = made;
    made.pipeline()
        .addLast(new FrameDecoder())
        .addLast(new Messages(engine))
        .addLast(
            new DatagramFrames(
                made, (datagrams, taken) -> owner.datagrams(this, datagrams, taken)));
  }

  /// Returns the SNAPT that this connection leads to.
  Snapt snapt() {
    return snapt;
  }

  /// Returns the address of the SNAPT.
  InetSocketAddress remote() {
    return address;
  }

  /// Returns true if the connection is still open for writing.
  boolean isOpen() {
    Channel open = channel;
    return !ended && open != null && open.isActive();
  }

  void send(ControlMessage message) {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException("sending before connecting");
    }
    ByteBuf frame = open.alloc().buffer();
    ControlFrame.write(message, frame);
    open.writeAndFlush(frame).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  @Override
  public void write(ByteBuf frames, Runnable taken) {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException("sending before connecting");
    }
    open.writeAndFlush(frames).addListener(_ -> taken.run());
  }

  /// Closes the connection without a message, and calls the owner with the reason.
  void close(ControlFailure why, String detail) {
    end(why, detail);
  }

  /// Sends a last message and closes the connection, without a call to the owner.
  void closeAfter(ControlMessage last) {
    ended = true;
    send(last);
    shut();
  }

  private void end(ControlFailure why, String detail) {
    if (!ended) {
      ended = true;
      shut();
      owner.ended(this, why, detail);
    }
  }

  private void shut() {
    Channel open = channel;
    if (open != null) {
      open.close();
    }
  }

  private final class Messages extends SimpleChannelInboundHandler<ControlMessage> {
    private final SSLEngine engine;

    private Messages(SSLEngine engine) {
      this.engine = engine;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          checked();
        } else {
          end(failureOf(handshake.cause()), wordsOf(handshake.cause()));
        }
      }
      super.userEventTriggered(context, event);
    }

    private void checked() throws SSLException {
      if (ended) {
        return;
      }
      if (!ControlFrame.ALPN.equals(engine.getApplicationProtocol())) {
        end(
            ControlFailure.PROTOCOL_NOT_SPOKEN,
            "no "
                + ControlFrame.ALPN
                + " in TLS at "
                + snapt
                + ": is it the control port of a SNAPT?");
        return;
      }
      SSLSession session = engine.getSession();
      String name = CommonName.ofPeer(session).orElse("");
      if (!snapt.id().isEmpty() && !snapt.id().equals(name)) {
        end(
            ControlFailure.SNAPT_ID_MISMATCH,
            "%s shows the certificate of '%s', must be that of '%s'"
                .formatted(snapt, name, snapt.id()));
        return;
      }
      owner.opened(ControlConnection.this, session);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ControlMessage message) {
      if (!ended) {
        owner.received(ControlConnection.this, message);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      end(failureOf(cause), wordsOf(cause));
    }
  }

  private static ControlFailure failureOf(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof CertificateException
          || each instanceof CertPathValidatorException
          || each instanceof CertPathBuilderException) {
        return ControlFailure.CERTIFICATE_REFUSED;
      }
    }
    return switch (cause) {
      case ConnectTimeoutException _ -> ControlFailure.CONNECT_TIMEOUT;
      case SslHandshakeTimeoutException _ -> ControlFailure.CONNECT_TIMEOUT;
      case SSLException _ -> ControlFailure.TLS_FAILED;
      case DecoderException e when e.getCause() instanceof SSLException ->
          ControlFailure.TLS_FAILED;
      case DecoderException _ -> ControlFailure.MALFORMED;
      case SocketException _ -> ControlFailure.UNREACHABLE;
      default -> ControlFailure.CLOSED;
    };
  }

  private static String wordsOf(Throwable cause) {
    String words = HandshakeFailure.reason(cause);
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof CertPathBuilderException) {
        return words + ": check the file of the key trust, or ask the operator of the SNAPT";
      }
    }
    return words;
  }
}
