package io.viaduct.billing.diameter;

import io.viaduct.diameter.message.AvpGroup;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads who pays from a credit-control request: Subscription-Id, then User-Name. A SIP URI, NAI or
/// private identity counts if it is of the home domain; a telephone number counts by itself.
final class SubscriberAddresses {
  private static final int E164 = 0;
  private static final Pattern NUMBER = Pattern.compile("\\+?([0-9]{1,15})(;.*)?");
  private static final Pattern USER_AT_DOMAIN =
      Pattern.compile("(?:sips?:)?([A-Za-z0-9._+-]{1,64})@([^:;?@]{1,253})(?:[:;?].*)?");

  private final String domain;

  /// @param domain home domain of the users, in lower case
  SubscriberAddresses(String domain) {
    this.domain = domain;
  }

  /// Returns the user parts of the addresses, in their order.
  List<String> of(AvpGroup request) {
    return Stream.concat(
            request.groups("Subscription-Id").map(this::subscriber),
            request.text("User-Name").stream().map(this::user))
        .flatMap(Optional::stream)
        .distinct()
        .toList();
  }

  private Optional<String> subscriber(AvpGroup subscription) {
    String data = subscription.text("Subscription-Id-Data").orElse("");
    return subscription.number("Subscription-Id-Type").orElse(-1) == E164
        ? number(data)
        : user(data);
  }

  private Optional<String> user(String address) {
    if (address.startsWith("tel:")) {
      return number(address.substring("tel:".length()));
    }
    Matcher parts = USER_AT_DOMAIN.matcher(address);
    return parts.matches() && parts.group(2).toLowerCase(Locale.ROOT).equals(domain)
        ? Optional.of(parts.group(1))
        : Optional.empty();
  }

  private static Optional<String> number(String digits) {
    Matcher parts = NUMBER.matcher(digits);
    return parts.matches() ? Optional.of("+" + parts.group(1)) : Optional.empty();
  }
}
