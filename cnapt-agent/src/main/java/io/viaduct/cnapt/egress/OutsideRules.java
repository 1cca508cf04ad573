package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/// The policy rules that keep traffic outside the tunnel. Each kind carries a protocol number of
/// its own, so that its rules are found whatever their selectors. Blocking.
final class OutsideRules {
  // RTPROT_… of linux/rtnetlink.h; numbers from 4 on are the user's.
  private static final int SPLIT = 118;
  private static final int OUTAGE = 119;
  private static final int PORTAL = 120;
  private static final int LOCAL = 121;
  private static final int PROCESSES = 122;

  private final RoutingSettings routing;
  private final List<AddressFamily> families;

  OutsideRules(RoutingSettings routing, List<AddressFamily> families) {
    this.routing = routing;
    this.families = List.copyOf(families);
  }

  /// Returns the commands that keep the traffic of `split-tunnel` outside.
  List<String> ofSplit(AddressFamily family, SplitTunnel split) {
    return split.selectors(family).stream()
        .flatMap(each -> Stream.of(toMain(each, SPLIT), elseUnreachable(each)))
        .toList();
  }

  /// Returns the commands that keep the networks of `routing.local` direct. A network could push
  /// routes to all others (RFC 3442), and so lead traffic past the tunnel.
  List<String> ofLocal(AddressFamily family) {
    return routing.local().stream()
        .filter(each -> each.isIpv6() == (family == AddressFamily.IPV6))
        .map(each ->
            "rule add to %s lookup main suppress_prefixlength 0 %s".formatted(each, mine(LOCAL)))
        .toList();
  }

  // The kernel goes on to the next rule if the main table has no route: that rule leads into the
  // tunnel. The agent's own sockets have a mark, and may have a route by a rule of the operator.
  private String elseUnreachable(String selector) {
    return "rule add %s fwmark 0/0xffffffff unreachable %s".formatted(selector, mine(SPLIT));
  }

  /// Returns the commands that remove the rules of all kinds, also those of a killed agent.
  List<String> allRemovals(AddressFamily family) throws IOException {
    List<String> commands = new ArrayList<>();
    for (int protocol : List.of(SPLIT, OUTAGE, PORTAL, LOCAL, PROCESSES)) {
      commands.addAll(removals(family, protocol));
    }
    return commands;
  }

  /// Returns the gate that lets traffic out during an outage. A socket that has an address of the
  /// TUN stays inside, because answers to this address come through the tunnel only.
  ///
  /// @param selectors selectors of policy rules
  Outage.Gate outageGate(TunSettings tun, List<String> selectors) {
    return new Outage.Gate() {
      @Override
      public void open() throws IOException {
        for (AddressFamily family : families) {
          String own = family == AddressFamily.IPV4 ? tun.ipv4() : tun.ipv6();
          List<String> commands = new ArrayList<>();
          commands.add(
              "rule add from %s lookup %d %s".formatted(own, routing.table(), mine(OUTAGE)));
          selectors.forEach(each -> commands.add(toMain(each, OUTAGE)));
          IpCommand.run(family, commands);
        }
      }

      @Override
      public void shut() throws IOException {
        remove(OUTAGE);
      }
    };
  }

  /// Returns the gate that keeps sockets with a mark outside. Their queries to resolvers enter the
  /// tunnel, as those of all other programs do.
  Outage.Gate markGate(int mark, List<InetAddress> resolvers) {
    String marked = "fwmark %d".formatted(mark);
    return new Outage.Gate() {
      @Override
      public void open() throws IOException {
        for (AddressFamily family : families) {
          List<String> commands = new ArrayList<>();
          resolvers.stream()
              .filter(family::includes)
              .map(each ->
                  "rule add to %s %s lookup %d %s"
                      .formatted(each.getHostAddress(), marked, routing.table(), mine(PROCESSES)))
              .forEach(commands::add);
          commands.add(toMain(marked, PROCESSES));
          commands.add("rule add %s unreachable %s".formatted(marked, mine(PROCESSES)));
          IpCommand.run(family, commands);
        }
      }

      @Override
      public void shut() throws IOException {
        remove(PROCESSES);
      }
    };
  }

  /// Returns the gate to the hosts of a captive portal.
  PortalWatch.Gate portalGate() {
    return new PortalWatch.Gate() {
      @Override
      public void open(Collection<InetSocketAddress> hosts) throws IOException {
        for (AddressFamily family : families) {
          List<String> commands =
              hosts.stream()
                  .filter(each -> family.includes(each.getAddress()))
                  .map(each ->
                      "to %s ipproto 6 dport %d"
                          .formatted(each.getAddress().getHostAddress(), each.getPort()))
                  .map(each -> toMain(each, PORTAL))
                  .toList();
          IpCommand.run(family, commands);
        }
      }

      @Override
      public void shut() throws IOException {
        remove(PORTAL);
      }
    };
  }

  private String toMain(String selector, int protocol) {
    return "rule add " + selector + " lookup main " + mine(protocol);
  }

  // Rules that are added later come before those that the agent begins with: behind them, the rules
  // of local networks would have decided already.
  private String mine(int protocol) {
    boolean isLater = protocol == OUTAGE || protocol == PORTAL || protocol == PROCESSES;
    int priority = isLater ? routing.priority() - 1 : routing.priority();
    return "priority %d protocol %d".formatted(priority, protocol);
  }

  private void remove(int protocol) throws IOException {
    for (AddressFamily family : families) {
      IpCommand.run(family, removals(family, protocol));
    }
  }

  // One deletion removes one rule.
  private List<String> removals(AddressFamily family, int protocol) throws IOException {
    String listed = IpCommand.output(family, "rule list " + mine(protocol));
    int count = listed.split("proto " + protocol, -1).length - 1;
    return Collections.nCopies(count, "rule del " + mine(protocol));
  }
}
