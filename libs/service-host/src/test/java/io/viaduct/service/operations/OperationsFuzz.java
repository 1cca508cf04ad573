package io.viaduct.service.operations;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.viaduct.fuzzing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes an operator's connection. Input: one octet, then the bytes. The octet is the number of
/// bytes that arrive at a time; 0 means all. Rules: each request that Netty parses gets an answer,
/// in order, with a suitable status code and the right length. The connection closes after an
/// answer that announces it.
final class OperationsFuzz {
  private static final ProcessMetrics METRICS = new ProcessMetrics("fuzz", OperationsFuzz.class);
  private static final Readiness READINESS = new Readiness("bridge");
  private static final Map<String, Integer> PATHS =
      Map.of("/metrics", 200, "/livez", 200, "/readyz", 503);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    int piece = (input[0] & 0xFF) == 0 ? input.length : input[0] & 0xFF;
    Exchange exchange = new Exchange();
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new HttpServerCodec(),
            new HttpObjectAggregator(OperationsEndpoint.REQUEST_BYTES_MAX),
            exchange,
            new OperationsHandler(METRICS, READINESS, null, Map.of(), null));
    for (int at = 1; at < input.length && channel.isOpen(); at += piece) {
      int bytes = Math.min(piece, input.length - at);
      channel.writeInbound(Unpooled.copiedBuffer(input, at, bytes));
    }
    channel.checkException();
    exchange.check(channel.isOpen());
    channel.finishAndReleaseAll();
  }

  /// Records the requests and answers between Netty's parser and the handler under test.
  private static final class Exchange extends ChannelDuplexHandler {
    private final List<Set<Integer>> expected = new ArrayList<>();
    private final List<FullHttpResponse> answers = new ArrayList<>();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
      FullHttpRequest request = (FullHttpRequest) message;
      expected.add(codes(request));
      super.channelRead(context, message);
    }

    private static Set<Integer> codes(FullHttpRequest request) {
      if (request.decoderResult().isFailure()) {
        return Set.of(400);
      }
      if (!request.method().name().equals("GET")) {
        return Set.of(405);
      }
      String uri = request.uri();
      for (Map.Entry<String, Integer> path : PATHS.entrySet()) {
        if (uri.equals(path.getKey())) {
          return Set.of(path.getValue());
        }
      }
      // With escapes, a query or a fragment, the URI may still name one of the paths.
      return uri.matches("[^%?#+;]*") ? Set.of(404) : Set.of(200, 400, 404, 503);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
        throws Exception {
      answers.add(((FullHttpResponse) message).retainedDuplicate());
      super.write(context, message, promise);
    }

    private void check(boolean open) {
      for (int i = 0; i < answers.size(); i++) {
        FullHttpResponse answer = answers.get(i);
        boolean last = i == answers.size() - 1;
        int length = answer.headers().getInt(HttpHeaderNames.CONTENT_LENGTH, -1);
        if (!expected.get(i).contains(answer.status().code())
            || length != answer.content().readableBytes()
            || (!HttpUtil.isKeepAlive(answer) && !last)) {
          throw new AssertionError(
              "answer " + i + " must be " + expected.get(i) + ": " + answer + text(answer));
        }
      }
      boolean ended = !answers.isEmpty() && !HttpUtil.isKeepAlive(answers.getLast());
      if (answers.size() > expected.size() || (answers.size() < expected.size() && !ended)) {
        throw new AssertionError(answers.size() + " answers to " + expected.size() + " requests");
      }
      if (open && ended) {
        throw new AssertionError("open after " + answers.getLast());
      }
      answers.forEach(FullHttpResponse::release);
    }

    private static String text(FullHttpResponse answer) {
      return answer.content().toString(StandardCharsets.UTF_8);
    }
  }

  static List<byte[]> seeds() {
    return List.of(
            "\0GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n",
            "\7GET /livez?a=%zz HTTP/1.1\r\n\r\nGET /readyz HTTP/1.1\r\n\r\n",
            "\0GET /%zz HTTP/1.1\r\n\r\nGET /livez HTTP/1.1\r\n\r\n",
            "\0GET /livez HTTP/1.0\r\n\r\nGET /livez HTTP/1.1\r\n\r\n",
            "\0POST /livez HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcHEAD / HTTP/1.1\r\n\r\n",
            "\0GET /status HTTP/1.1\r\nConnection: close\r\n\r\n",
            "\0POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n\r\n",
            "\0GET  /\r\n\r\n",
            "\0GET http://a/livez HTTP/1.1\r\n\r\n")
        .stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .toList();
  }
}
