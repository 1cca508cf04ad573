package io.viaduct.billing.diameter;

import io.viaduct.billing.call.MediaPlace;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.AvpValue;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Reads where media comes from out of the SDP lines (RFC 8866) that a node puts into
/// IMS-Information (TS 32.299 section 7.2: SDP-Session-Description, SDP-Media-Component):
/// connection address and port with the next port for RTCP, `a=rtcp` (RFC 3605), and candidates of
/// ICE (RFC 8839). Lines that it does not understand, and names that are no numeric addresses, are
/// skipped.
final class SdpMedia {
  /// Most places of one message, most media, and longest line.
  static final int PLACES_MAX = 32;

  private static final int MEDIA_MAX = 16;
  private static final int LINES_MAX = 256;
  private static final int LINE_MAX = 512;
  private static final int ADDRESS_MAX = 45;

  private final Set<MediaPlace> places = new LinkedHashSet<>();

  private SdpMedia() {}

  /// Returns the places of a message; none if it has no SDP.
  static Set<MediaPlace> of(AvpGroup message) {
    SdpMedia read = new SdpMedia();
    message
        .groups("Service-Information")
        .flatMap(service -> service.groups("IMS-Information"))
        .limit(1)
        .forEach(read::information);
    return read.places;
  }

  private void information(AvpGroup ims) {
    Optional<InetAddress> session = connection(lines(ims, "SDP-Session-Description"));
    ims.groups("SDP-Media-Component")
        .limit(MEDIA_MAX)
        .forEach(media ->
            media(
                media.text("SDP-Media-Name").orElse(""),
                lines(media, "SDP-Media-Description"),
                session));
  }

  private static List<String> lines(AvpGroup group, String name) {
    List<String> lines = new ArrayList<>();
    group
        .all(name)
        .flatMap(
            avp -> avp.value() instanceof AvpValue.Text(String text) ? text.lines() : Stream.of())
        .limit(LINES_MAX)
        .filter(line -> line.length() <= LINE_MAX)
        .forEach(lines::add);
    return lines;
  }

  private void media(String name, List<String> lines, Optional<InetAddress> session) {
    String[] words = (name.startsWith("m=") ? name.substring(2) : name).split(" ", 4);
    int port = words.length < 3 || words[2].contains("TCP") ? 0 : port(words[1].split("/", 2)[0]);
    Optional<InetAddress> own = connection(lines);
    Optional<InetAddress> address = own.isPresent() ? own : session;
    if (port == 0) {
      return; // refused media, or none that flows are carried by
    }
    address.ifPresent(at -> add(at, port));
    address.filter(_ -> port < 65_535).ifPresent(at -> add(at, port + 1));
    for (String line : lines) {
      attribute(line.split(" ", 8), address);
    }
  }

  private void attribute(String[] words, Optional<InetAddress> address) {
    if (words[0].startsWith("a=rtcp:")) {
      Optional<InetAddress> other = words.length >= 4 ? address(words[3]) : address;
      other.ifPresent(at -> add(at, port(words[0].substring("a=rtcp:".length()))));
    } else if (words[0].startsWith("a=candidate:")
        && words.length >= 6
        && words[2].equalsIgnoreCase("UDP")) {
      address(words[4]).ifPresent(at -> add(at, port(words[5])));
    }
  }

  private void add(InetAddress address, int port) {
    if (port > 0 && places.size() < PLACES_MAX && !address.isAnyLocalAddress()) {
      places.add(new MediaPlace(address.getHostAddress(), port));
    }
  }

  private static Optional<InetAddress> connection(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("c=IN IP4 ") || line.startsWith("c=IN IP6 "))
        .findFirst()
        .flatMap(line -> address(line.substring("c=IN IP4 ".length()).strip().split("/", 2)[0]));
  }

  // An address with a scope would be one of this host.
  private static Optional<InetAddress> address(String text) {
    if (text.isEmpty() || text.length() > ADDRESS_MAX || !text.matches("[0-9a-fA-F.:]+")) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /// Returns 0 for anything but a port.
  private static int port(String text) {
    return text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= 65_535
        ? Integer.parseInt(text)
        : 0;
  }
}
