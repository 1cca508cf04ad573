package io.viaduct.service.operations;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/// Handles one operator's connection. It answers requests in their order. The answer to `/status`
/// is made on a virtual thread, because the status may have to wait for other threads; the
/// connection is closed after it.
final class OperationsHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(OperationsHandler.class);
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String NOT_ENCODED = "% must be followed by two hexadecimal digits\n";

  private final ProcessMetrics metrics;
  private final Readiness readiness;
  private final @Nullable Supplier<?> status;
  private final Map<String, OperationsAction> actions;
  private final @Nullable OperatorAccess access;
  private boolean isLast; // written and read on the connection's event loop

  OperationsHandler(
      ProcessMetrics metrics,
      Readiness readiness,
      @Nullable Supplier<?> status,
      Map<String, OperationsAction> actions,
      @Nullable OperatorAccess access) {
    this.metrics = metrics;
    this.readiness = readiness;
    this.status = status;
    this.actions = actions;
    this.access = access;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    if (isLast) {
      return;
    }
    boolean readable = request.decoderResult().isSuccess();
    boolean keepAlive = readable && HttpUtil.isKeepAlive(request);
    isLast = !keepAlive;
    if (!readable) {
      send(context, answer(HttpResponseStatus.BAD_REQUEST, TEXT, "not HTTP/1.1\n"), keepAlive);
      return;
    }
    if (request.method().equals(HttpMethod.POST) && !actions.isEmpty()) {
      Optional<OperatorAccess.Refusal> refusal =
          access == null
              ? Optional.empty()
              : access.refusal(request.headers().get(HttpHeaderNames.AUTHORIZATION));
      if (refusal.isPresent()) {
        isLast = true;
        send(context, refused(refusal.get()), false);
      } else {
        act(context, request.uri());
      }
      return;
    }
    if (!request.method().equals(HttpMethod.GET)) {
      FullHttpResponse refusal =
          answer(HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, "only GET is allowed\n");
      refusal.headers().set(HttpHeaderNames.ALLOW, HttpMethod.GET);
      send(context, refusal, keepAlive);
      return;
    }
    String path;
    try {
      path = new QueryStringDecoder(request.uri()).path();
    } catch (IllegalArgumentException _) {
      send(context, answer(HttpResponseStatus.BAD_REQUEST, TEXT, NOT_ENCODED), keepAlive);
      return;
    }
    if (path.equals("/status") && status != null) {
      Supplier<?> supplier = status;
      isLast = true;
      Thread.ofVirtual()
          .name("operations-status")
          .start(() -> send(context, statusOf(supplier), false));
      return;
    }
    send(context, answer(path), keepAlive);
  }

  private void act(ChannelHandlerContext context, String uri) {
    isLast = true;
    Map<String, String> parameters = new HashMap<>();
    OperationsAction action;
    try {
      QueryStringDecoder query = new QueryStringDecoder(uri);
      query.parameters().forEach((name, values) -> parameters.put(name, values.getFirst()));
      action = actions.get(query.path());
    } catch (IllegalArgumentException _) {
      send(context, answer(HttpResponseStatus.BAD_REQUEST, TEXT, NOT_ENCODED), false);
      return;
    }
    if (action == null) {
      String refusal = "available actions: " + String.join(" ", new TreeSet<>(actions.keySet()));
      send(context, answer(HttpResponseStatus.NOT_FOUND, TEXT, refusal + "\n"), false);
      return;
    }
    Thread.ofVirtual()
        .name("operations-action")
        .start(() -> send(context, done(action, caller(context), parameters), false));
  }

  private static String caller(ChannelHandlerContext context) {
    return context.channel().remoteAddress() instanceof InetSocketAddress from
        ? from.getAddress().getHostAddress()
        : "the Unix socket";
  }

  // RFC 6750 section 3, and RFC 9457.
  private static FullHttpResponse refused(OperatorAccess.Refusal why) {
    boolean isOpen = why != OperatorAccess.Refusal.NOT_CONFIGURED;
    HttpResponseStatus code =
        isOpen ? HttpResponseStatus.UNAUTHORIZED : HttpResponseStatus.FORBIDDEN;
    String detail =
        switch (why) {
          case NOT_CONFIGURED -> "set operations.token-file to allow actions at this port";
          case NO_TOKEN -> "send the operator's token as Authorization: Bearer";
          case WRONG_TOKEN -> "the token is not that of operations.token-file";
        };
    FullHttpResponse refusal =
        answer(
            code,
            "application/problem+json",
            JSON.writeValueAsString(
                    Map.of("title", code.reasonPhrase(), "status", code.code(), "detail", detail))
                + "\n");
    if (isOpen) {
      refusal.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer realm=\"operations\"");
    }
    return refusal;
  }

  private static FullHttpResponse done(
      OperationsAction action, String caller, Map<String, String> parameters) {
    try {
      Object did = action.act(caller, parameters);
      return statusOf(() -> did);
    } catch (IllegalArgumentException e) {
      return answer(HttpResponseStatus.BAD_REQUEST, TEXT, e.getMessage() + "\n");
    } catch (IllegalStateException e) {
      return answer(HttpResponseStatus.CONFLICT, TEXT, e.getMessage() + "\n");
    }
  }

  private FullHttpResponse answer(String path) {
    return switch (path) {
      case "/metrics" ->
          answer(
              HttpResponseStatus.OK, "text/plain; version=0.0.4; charset=utf-8", metrics.scrape());
      case "/livez" -> answer(HttpResponseStatus.OK, TEXT, "alive\n");
      case "/readyz" ->
          readiness.ready()
              ? answer(HttpResponseStatus.OK, TEXT, "ready\n")
              : answer(
                  HttpResponseStatus.SERVICE_UNAVAILABLE,
                  TEXT,
                  String.join("\n", readiness.reasons()) + "\n");
      default ->
          answer(
              HttpResponseStatus.NOT_FOUND,
              TEXT,
              "available paths: /metrics /livez /readyz"
                  + (status == null ? "" : " /status")
                  + "\n");
    };
  }

  private static FullHttpResponse statusOf(Supplier<?> status) {
    try {
      String json = JSON.writeValueAsString(status.get());
      return answer(HttpResponseStatus.OK, "application/json", json + "\n");
    } catch (RuntimeException e) {
      LOG.error("the status could not be produced", e);
      return answer(
          HttpResponseStatus.INTERNAL_SERVER_ERROR,
          TEXT,
          "the status could not be produced: see the log\n");
    }
  }

  private static FullHttpResponse answer(HttpResponseStatus code, String type, String text) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, code, Unpooled.wrappedBuffer(text.getBytes(UTF_8)));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
    return response;
  }

  private static void send(
      ChannelHandlerContext context, FullHttpResponse answer, boolean keepAlive) {
    HttpUtil.setKeepAlive(answer, keepAlive);
    var written = context.writeAndFlush(answer);
    if (!keepAlive) {
      written.addListener(ChannelFutureListener.CLOSE);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("operator's connection closed: {}", cause.toString());
    context.close();
  }
}
