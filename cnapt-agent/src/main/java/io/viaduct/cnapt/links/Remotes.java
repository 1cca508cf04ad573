package io.viaduct.cnapt.links;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The places at which the other end of the tunnel receives datagrams: one of a SNAPT, one or more
/// of a peer.
///
/// @param control the address of the control connection
/// @param places at least one, in the order of preference
public record Remotes(InetSocketAddress control, List<Remote> places) {
  /// Checks that there is a place.
  public Remotes {
    places = List.copyOf(places);
    if (places.isEmpty()) {
      throw new IllegalArgumentException("the other end of a tunnel needs a place");
    }
  }

  /// Returns whether datagrams to this address and port go to one of the places.
  public boolean has(InetAddress address, int port) {
    return places.stream().anyMatch(each -> each.has(address, port));
  }

  /// Returns the one place of a control connection.
  public static Remotes of(InetSocketAddress control) {
    return new Remotes(control, List.of(Remote.of(control)));
  }

  /// Returns one place per address, for a peer that is to be reached by each of them.
  ///
  /// @param addresses at least one
  public Remotes each(List<InetAddress> addresses) {
    return new Remotes(
        control,
        addresses.stream()
            .map(each -> Remote.of(new InetSocketAddress(each, control.getPort())))
            .toList());
  }

  /// Returns the one place of a SNAPT with an address of the other family.
  ///
  /// @param found addresses of the same SNAPT, the preferred one first
  /// @param before former addresses; one that was found again stays, so that no path moves
  public Remotes and(List<InetAddress> found, @Nullable Remotes before) {
    boolean isIpv4 = control.getAddress() instanceof Inet4Address;
    Remote known = before == null ? null : before.places.getFirst();
    InetSocketAddress former = known == null ? null : isIpv4 ? known.ipv6() : known.ipv4();
    InetAddress kept = former == null ? null : former.getAddress();
    InetAddress added =
        found.stream()
            .filter(each -> each instanceof Inet4Address != isIpv4)
            .reduce((first, each) -> each.equals(kept) ? each : first)
            .orElse(null);
    if (added == null) {
      return this;
    }
    InetSocketAddress second = new InetSocketAddress(added, control.getPort());
    return new Remotes(
        control, List.of(isIpv4 ? new Remote(control, second) : new Remote(second, control)));
  }

  /// Returns the address to which the datagrams of a link to a place go.
  ///
  /// @param link null for a socket that the kernel routes
  /// @param place position in [#places]
  /// @param second true for the second address of the place, if there are two that the link can
  ///   reach
  /// @return null if the link has no address family of the place, or there is no such place
  public @Nullable InetSocketAddress of(@Nullable UsableLink link, int place, boolean second) {
    if (place >= places.size()) {
      return null;
    }
    Remote remote = places.get(place);
    if (link != null) {
      return remote.of(link, second);
    }
    if (remote.has(control.getAddress())) {
      return control; // the kernel reaches it: the control connection stands
    }
    return remote.ipv4() == null ? remote.ipv6() : remote.ipv4();
  }
}
