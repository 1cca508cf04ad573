package io.viaduct.snapt.group;

import io.netty.util.NetUtil;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.PublicAddress;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The configuration keys `group`.
///
/// @param name of the group, the same at all members; empty means that no session is handed over
/// @param listen local address for the other members
/// @param port TCP port for the other members, 0 for any free port
/// @param members the other members
public record GroupSettings(String name, String listen, int port, List<Member> members) {
  private static final int MEMBERS_MAX = 64;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  public GroupSettings {
    members = List.copyOf(members);
    requirePort("group.port", port);
    if (!name.isEmpty() && !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "group.name must be empty, or 1 to 63 of letters, digits, '.', '_' and '-', got '%s'"
              .formatted(name));
    }
    if (name.isEmpty() != members.isEmpty()) {
      throw new IllegalArgumentException(
          "group.name and group.members belong together: give both or neither, got the name '%s' and %d members"
              .formatted(name, members.size()));
    }
    if (members.size() > MEMBERS_MAX) {
      throw new IllegalArgumentException(
          "group.members may have %d entries, got %d".formatted(MEMBERS_MAX, members.size()));
    }
    for (int i = 0; i < members.size(); i++) {
      for (Member before : members.subList(0, i)) {
        members.get(i).requireApart(before);
      }
    }
  }

  /// Another member.
  ///
  /// @param id common name of its certificate
  /// @param host host name or address of its `group.port`, as in its certificate
  /// @param port its `group.port`
  /// @param nextHop its address on a network of both hosts, to which packets for the addresses that
  ///   it has taken over are routed
  /// @param nextHop6 the same of IPv6; empty if sessions with IPv6 are not handed over
  /// @param pool its `pool`
  public record Member(
      String id, String host, int port, String nextHop, String nextHop6, MemberPool pool) {
    public Member {
      if (!NAME.matcher(id).matches()) {
        throw new IllegalArgumentException(
            "group.members.id must be the common name of a certificate, got '" + id + "'");
      }
      if (host.isEmpty()) {
        throw new IllegalArgumentException("group.members.host of " + id + " must not be empty");
      }
      requirePort("group.members.port", port);
      requireAddress("next-hop", nextHop, 4);
      if (!nextHop6.isEmpty()) {
        requireAddress("next-hop6", nextHop6, 16);
      }
    }

    private static void requireAddress(String key, String text, int bytes) {
      byte[] address = NetUtil.createByteArrayFromIpAddressString(text);
      if (address == null || address.length != bytes) {
        throw new IllegalArgumentException(
            "group.members.%s must be a numeric address of IPv%d, got '%s'"
                .formatted(key, bytes == 4 ? 4 : 6, text));
      }
    }

    private void requireApart(Member other) {
      if (id.equals(other.id)) {
        throw new IllegalArgumentException("group.members names " + id + " twice");
      }
      pool.requireApart(other.pool, "of " + other.id);
    }
  }

  /// The pool of a member.
  ///
  /// @param ipv4 its `pool.ipv4`
  /// @param ipv6 its `pool.ipv6`
  public record MemberPool(Prefix ipv4, Prefix ipv6) {
    public MemberPool {
      if (ipv4.ipv6() || !ipv6.ipv6()) {
        throw new IllegalArgumentException(
            "group.members.pool must have a prefix of each family, got %s and %s"
                .formatted(ipv4, ipv6));
      }
    }

    /// Refuses a pool that shares addresses with this one.
    ///
    /// @param whose words for the message
    void requireApart(MemberPool other, String whose) {
      requireApart(ipv4, other.ipv4, whose);
      requireApart(ipv6, other.ipv6, whose);
    }

    private static void requireApart(Prefix one, Prefix other, String whose) {
      if (one.contains(other.high(), other.low()) || other.contains(one.high(), one.low())) {
        throw new IllegalArgumentException(
            "the pools of a group must not share addresses, got %s and %s %s"
                .formatted(one, other, whose));
      }
    }

    boolean has(InetAddress address) {
      ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
      return bytes.remaining() == Integer.BYTES
          ? ipv4.contains(0, Integer.toUnsignedLong(bytes.getInt()))
          : ipv6.contains(bytes.getLong(), bytes.getLong());
    }

    boolean has(PublicAddress address) {
      return ipv4.contains(0, Integer.toUnsignedLong(address.ipv4()))
          && ipv6.contains(address.ipv6High(), address.ipv6Low());
    }
  }

  /// Refuses an own pool that shares addresses with that of a member, and the own id as a member.
  ///
  /// @param id of this SNAPT
  /// @param own its pool
  public void requireApart(String id, MemberPool own) {
    for (Member each : members) {
      if (each.id().equals(id)) {
        throw new IllegalArgumentException(
            "group.members has the other SNAPTs, got this one's id " + id);
      }
      own.requireApart(each.pool(), "of " + each.id());
    }
  }

  /// Returns whether sessions are handed over.
  public boolean hasMembers() {
    return !name.isEmpty();
  }

  /// Returns the member with an id.
  public Optional<Member> member(String id) {
    return members.stream().filter(each -> each.id().equals(id)).findFirst();
  }

  private static void requirePort(String key, int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(key + " must be from 0 to 65535, got " + port);
    }
  }
}
