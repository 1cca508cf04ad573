package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import java.util.Optional;
import java.util.OptionalLong;

/// An amount of service: any of its units may be absent.
///
/// @param seconds CC-Time
/// @param totalOctets CC-Total-Octets
/// @param inputOctets CC-Input-Octets, from the user
/// @param outputOctets CC-Output-Octets, to the user
/// @param specific CC-Service-Specific-Units
/// @param money CC-Money
public record ServiceUnits(
    OptionalLong seconds,
    OptionalLong totalOctets,
    OptionalLong inputOctets,
    OptionalLong outputOctets,
    OptionalLong specific,
    Optional<Money> money) {
  private static final OptionalLong NONE = OptionalLong.empty();

  /// No unit: a request whose amount the server chooses.
  public static final ServiceUnits UNSPECIFIED =
      new ServiceUnits(NONE, NONE, NONE, NONE, NONE, Optional.empty());

  public static ServiceUnits ofSeconds(long seconds) {
    return new ServiceUnits(OptionalLong.of(seconds), NONE, NONE, NONE, NONE, Optional.empty());
  }

  public static ServiceUnits ofOctets(long total) {
    return new ServiceUnits(NONE, OptionalLong.of(total), NONE, NONE, NONE, Optional.empty());
  }

  /// Returns the octets of both directions and their sum.
  public static ServiceUnits ofOctets(long input, long output) {
    return new ServiceUnits(
        NONE,
        OptionalLong.of(Math.addExact(input, output)),
        OptionalLong.of(input),
        OptionalLong.of(output),
        NONE,
        Optional.empty());
  }

  public static ServiceUnits ofSpecific(long units) {
    return new ServiceUnits(NONE, NONE, NONE, NONE, OptionalLong.of(units), Optional.empty());
  }

  public static ServiceUnits ofMoney(Money money) {
    return new ServiceUnits(NONE, NONE, NONE, NONE, NONE, Optional.of(money));
  }

  static ServiceUnits of(AvpGroup group) {
    return new ServiceUnits(
        group.number("CC-Time"),
        group.number("CC-Total-Octets"),
        group.number("CC-Input-Octets"),
        group.number("CC-Output-Octets"),
        group.number("CC-Service-Specific-Units"),
        group.group("CC-Money").map(Money::of));
  }

  AvpBuilder writeTo(AvpBuilder group) {
    seconds.ifPresent(value -> group.add("CC-Time", value));
    totalOctets.ifPresent(value -> group.add("CC-Total-Octets", value));
    inputOctets.ifPresent(value -> group.add("CC-Input-Octets", value));
    outputOctets.ifPresent(value -> group.add("CC-Output-Octets", value));
    specific.ifPresent(value -> group.add("CC-Service-Specific-Units", value));
    money.ifPresent(value -> value.writeTo(group));
    return group;
  }
}
