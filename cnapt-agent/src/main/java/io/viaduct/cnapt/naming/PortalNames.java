package io.viaduct.cnapt.naming;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsSection;
import io.viaduct.cnapt.egress.PortalNaming;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A resolver of this host for the names of a captive portal, while it is open. It answers with the
/// addresses that the network's own resolver gave the agent, so with those to which the way is
/// open. Queries for other names get no answer and leave this host by no other way: the
/// applications repeat them when the tunnel carries again (docs/adr/0031).
public final class PortalNames implements PortalNaming {
  private static final int TTL_SECONDS = 10;

  /// The outcomes of queries; each value is a counter.
  public enum Outcome {
    /// It asked for a name of the portal.
    ANSWERED,
    /// It asked for another name, and waits.
    OTHER_NAME,
    /// It was no DNS query with one question.
    MALFORMED,
    /// It came from another host.
    STRANGER;

    /// Returns the name in metrics.
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final EventLoop loop;
  private final InetSocketAddress at;
  private final Supplier<@Nullable ApplicationResolvers> resolvers;
  private final AtomicLongArray outcomes = new AtomicLongArray(Outcome.values().length);
  private @Nullable Channel channel; // of the thread that opens and shuts

  /// @param loop of an `EpollIoHandler`
  /// @param at an address of the TUN, and the port of the resolver
  /// @param resolvers of the applications; null while they are not set
  public PortalNames(
      EventLoop loop, InetSocketAddress at, Supplier<@Nullable ApplicationResolvers> resolvers) {
    this.loop = loop;
    this.at = at;
    this.resolvers = resolvers;
  }

  @Override
  public void answer(Map<String, List<InetAddress>> hosts) throws IOException {
    end();
    Answers answers = new Answers(hosts);
    ChannelFuture bound =
        new Bootstrap()
            .group(loop)
            .channel(EpollDatagramChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel made) {
                    made.pipeline()
                        .addLast(
                            new DatagramDnsQueryDecoder(),
                            new DatagramDnsResponseEncoder(),
                            answers);
                  }
                })
            .bind(at)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(at + ": " + bound.cause().getMessage(), bound.cause());
    }
    channel = bound.channel();
    ApplicationResolvers of = resolvers.get();
    if (of != null) {
      of.useInstead(at.getAddress().getHostAddress());
    }
  }

  @Override
  public void end() throws IOException {
    Channel open = channel;
    if (open == null) {
      return;
    }
    channel = null;
    open.close().awaitUninterruptibly();
    ApplicationResolvers of = resolvers.get();
    if (of != null) {
      of.useOwn();
    }
  }

  /// Returns the number of queries with an outcome. Any thread may call this.
  public long of(Outcome outcome) {
    return outcomes.get(outcome.ordinal());
  }

  /// Returns the address at which it answers while a portal is open; null otherwise.
  @Nullable InetSocketAddress address() {
    Channel open = channel;
    return open == null ? null : (InetSocketAddress) open.localAddress();
  }

  private final class Answers extends SimpleChannelInboundHandler<DatagramDnsQuery> {
    private final Map<String, List<InetAddress>> addresses = new HashMap<>(); // by question

    Answers(Map<String, List<InetAddress>> hosts) {
      hosts.forEach((host, of) -> addresses.put(question(host + "."), List.copyOf(of)));
    }

    private static String question(String name) {
      return name.toLowerCase(Locale.ROOT);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
      Outcome outcome = outcome(query);
      outcomes.incrementAndGet(outcome.ordinal());
      if (outcome == Outcome.ANSWERED) {
        context.writeAndFlush(answer(query), context.voidPromise());
      }
    }

    private Outcome outcome(DatagramDnsQuery query) {
      InetAddress from = query.sender().getAddress();
      if (!from.equals(at.getAddress()) && !from.isLoopbackAddress()) {
        return Outcome.STRANGER;
      }
      if (query.count(DnsSection.QUESTION) != 1) {
        return Outcome.MALFORMED;
      }
      DnsQuestion asked = query.recordAt(DnsSection.QUESTION);
      return addresses.containsKey(question(asked.name())) ? Outcome.ANSWERED : Outcome.OTHER_NAME;
    }

    private DatagramDnsResponse answer(DatagramDnsQuery query) {
      DnsQuestion asked = query.recordAt(DnsSection.QUESTION);
      DatagramDnsResponse answer =
          new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
      answer.setRecursionDesired(query.isRecursionDesired()).setRecursionAvailable(true);
      answer.addRecord(
          DnsSection.QUESTION,
          new DefaultDnsQuestion(asked.name(), asked.type(), asked.dnsClass()));
      for (InetAddress each : addresses.getOrDefault(question(asked.name()), List.of())) {
        DnsRecordType type = each instanceof Inet4Address ? DnsRecordType.A : DnsRecordType.AAAA;
        if (asked.type().equals(type)) {
          answer.addRecord(
              DnsSection.ANSWER,
              new DefaultDnsRawRecord(
                  asked.name(), type, TTL_SECONDS, Unpooled.wrappedBuffer(each.getAddress())));
        }
      }
      return answer;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      outcomes.incrementAndGet(Outcome.MALFORMED.ordinal()); // the socket goes on
    }
  }
}
