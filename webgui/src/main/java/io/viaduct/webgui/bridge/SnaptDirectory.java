package io.viaduct.webgui.bridge;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;

/// The bridge's lists of SNAPTs and registrations, read with the operators' token of the
/// configuration.
public final class SnaptDirectory {
  private final JsonPeer peer;
  private volatile BearerToken token;

  public SnaptDirectory(JsonPeer peer, BearerToken token) {
    this.peer = peer;
    this.token = token;
  }

  /// Asks with another token from now on.
  public void use(BearerToken next) {
    token = next;
  }

  public List<Snapt> snapts() {
    return peer.get("/snapts", token, Answer.class).snapts();
  }

  /// Lets a SNAPT drain. Its state is in the list when it has told it.
  ///
  /// @param by account of the operator, for the SNAPT's log
  /// @param deadlineSeconds seconds after which the sessions that are left move or end; empty:
  ///   never
  public void drain(String id, String by, OptionalLong deadlineSeconds) {
    Map<String, Object> wanted = new HashMap<>();
    wanted.put("by", by);
    deadlineSeconds.ifPresent(seconds -> wanted.put("deadlineSeconds", seconds));
    peer.send(HttpMethod.POST, order(id, "/drain"), token, wanted);
  }

  /// Ends a drain.
  public void undrain(String id, String by) {
    peer.send(HttpMethod.POST, order(id, "/undrain"), token, Map.of("by", by));
  }

  private static String order(String id, String what) {
    return UriComponentsBuilder.fromPath("/snapts/{id}").encode().buildAndExpand(id).toUriString()
        + what;
  }

  /// Contacts of users, by user.
  ///
  /// @param search beginning of user names, or part of a contact or source; empty for all
  /// @param cursor `next` of the page before; empty for the first page
  public Registration.Page registrations(String search, String cursor, int limit) {
    return peer.get(
        UriComponentsBuilder.fromPath("/registrations")
            .queryParam("search", "{search}")
            .queryParam("cursor", "{cursor}")
            .queryParam("limit", "{limit}")
            .encode()
            .buildAndExpand(search, cursor, limit)
            .toUriString(),
        token,
        Registration.Page.class);
  }

  /// Returns refused SIP messages by cause.
  public SipRefusals sipRefusals() {
    return peer.get("/sip-refusals", token, SipRefusals.class);
  }

  record Answer(List<Snapt> snapts) {
    Answer {
      snapts = List.copyOf(snapts);
    }
  }
}
