package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reservations of all sessions.
///
/// @param cutAccounts accounts with an application that got less than it needs
/// @param pushes changes of credit that billing has pushed since its start, by result
public record CreditOverview(
    MicroDenarii reservedMicrodenarii,
    long sessions,
    long applications,
    long cutAccounts,
    @Nullable Map<String, Long> pushes,
    List<Reservation> largest) {
  public CreditOverview {
    Objects.requireNonNull(reservedMicrodenarii);
    pushes = pushes == null ? Map.of() : new TreeMap<>(pushes);
    largest = List.copyOf(largest);
  }
}
