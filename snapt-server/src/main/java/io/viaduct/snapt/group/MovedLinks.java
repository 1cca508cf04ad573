package io.viaduct.snapt.group;

import io.viaduct.tunnel.pacing.KnownRate;
import io.viaduct.tunnel.pacing.LinkRate;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.usage.v1.MovedLink;
import io.viaduct.usage.v1.TakeOverRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Reads and writes the rates of a device's links in a request between members.
final class MovedLinks {
  /// Most links: one for each path of a session.
  static final int MOST = TunnelLimits.PATHS_MAX;

  /// Greatest rate: more than any link has.
  // The least rate that pacing finds; a lower one would hold the first packet back for minutes.
  private static final long BIT_PER_SECOND_MIN = 64_000;

  private static final long BIT_PER_SECOND_MAX = 10_000_000_000_000L;

  private MovedLinks() {}

  static void write(List<LinkRate> rates, TakeOverRequest.Builder request) {
    for (LinkRate each : rates) {
      double limit = each.rate().limit();
      request.addLinks(
          MovedLink.newBuilder()
              .setLink(each.link())
              .setBitPerSecond(Double.isFinite(limit) ? Math.round(8 * limit) : 0)
              .setCapacityBitPerSecond(Math.round(8 * each.rate().capacity())));
    }
  }

  /// Reads the rates. One that breaks a rule is left out: its path is measured anew.
  ///
  /// @param leftOut hears of each link that is left out, and why
  static List<LinkRate> read(TakeOverRequest request, Consumer<String> leftOut) {
    List<LinkRate> rates = new ArrayList<>();
    for (MovedLink each : request.getLinksList()) {
      boolean isNamed =
          !each.getLink().isEmpty() && LinkName.of(each.getLink()).equals(each.getLink());
      long limit = each.getBitPerSecond();
      long capacity = each.getCapacityBitPerSecond();
      if (rates.size() == MOST) {
        leftOut.accept("at most %d links, got %d".formatted(MOST, request.getLinksCount()));
        break;
      } else if (!isNamed || limit != 0 && !isRate(limit) || !isRate(capacity)) {
        leftOut.accept(
            "a link has a name of 1 to %d letters, digits, '.', '_' and '-', and rates from %d to %d bit/s, got '%s', %s and %s"
                .formatted(
                    LinkName.BYTES_MAX,
                    BIT_PER_SECOND_MIN,
                    BIT_PER_SECOND_MAX,
                    LinkName.of(each.getLink()),
                    Long.toUnsignedString(limit),
                    Long.toUnsignedString(capacity)));
      } else {
        double paced = limit == 0 ? Double.POSITIVE_INFINITY : limit / 8.0;
        rates.add(new LinkRate(each.getLink(), new KnownRate(paced, capacity / 8.0)));
      }
    }
    return rates;
  }

  private static boolean isRate(long bitPerSecond) {
    return bitPerSecond >= BIT_PER_SECOND_MIN && bitPerSecond <= BIT_PER_SECOND_MAX;
  }
}
