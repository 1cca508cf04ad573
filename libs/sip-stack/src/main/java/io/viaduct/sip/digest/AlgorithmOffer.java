package io.viaduct.sip.digest;

import io.viaduct.sip.SipRequest;
import java.util.List;
import java.util.function.Predicate;

/// Chooses the algorithms of a challenge, preferred first (RFC 8760 section 2.4). A client should
/// take the first algorithm that it supports. Clients that fail on such a list get the list of
/// their family.
///
/// @param usual for all other clients; only these algorithms are ever accepted
/// @param families the first that matches decides
public record AlgorithmOffer(List<DigestAlgorithm> usual, List<Family> families) {
  /// User agents with a common name. A client that claims a false name gains nothing, because every
  /// algorithm of a family is also offered to all others.
  ///
  /// @param userAgent beginning of User-Agent, in any letter case; empty: there is no such header
  public record Family(String userAgent, List<DigestAlgorithm> algorithms) {
    public Family {
      algorithms = List.copyOf(algorithms);
    }

    private boolean matches(String given) {
      return userAgent.isEmpty()
          ? given.isEmpty()
          : given.regionMatches(true, 0, userAgent, 0, userAgent.length());
    }
  }

  public AlgorithmOffer {
    if (usual.isEmpty()) {
      throw new IllegalArgumentException("at least one digest algorithm must be offered");
    }
    usual = List.copyOf(usual);
    families = List.copyOf(families);
  }

  boolean hasAka() {
    return usual.stream().anyMatch(DigestAlgorithm::isAka);
  }

  boolean contains(DigestAlgorithm algorithm) {
    return usual.contains(algorithm);
  }

  /// Returns the algorithms of the challenge to a request, the preferred one first.
  ///
  /// @param isUsable whether the user who is named by the request can have credentials
  List<DigestAlgorithm> to(SipRequest request, Predicate<DigestAlgorithm> isUsable) {
    List<DigestAlgorithm> named = byUserAgent(request).stream().filter(isUsable).toList();
    return named.isEmpty() ? usual.stream().filter(isUsable).toList() : named;
  }

  private List<DigestAlgorithm> byUserAgent(SipRequest request) {
    String userAgent = request.headers().first("User-Agent").orElse("");
    return families.stream()
        .filter(family -> family.matches(userAgent))
        .findFirst()
        .map(family -> family.algorithms.stream().filter(usual::contains).toList())
        .filter(known -> !known.isEmpty())
        .orElse(usual);
  }
}
