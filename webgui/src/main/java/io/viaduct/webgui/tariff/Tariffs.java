package io.viaduct.webgui.tariff;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for tariffs and their drafts.
public final class Tariffs {
  /// Versions of one answer: a document has some 6 kB.
  private static final int PAGE = 20;

  /// Billing tries a draft for at most 10 s.
  private static final Duration TRIAL_PATIENCE = Duration.ofSeconds(20);

  private static final int REFUSED = 422;
  private static final String TRIALS = "/tariff-trials";

  private final JsonPeer peer;

  public Tariffs(JsonPeer peer) {
    this.peer = peer;
  }

  record Page(List<TariffVersion> tariffs, @Nullable String next) {}

  /// All versions, oldest first, with the tag of the list.
  public Tagged<List<TariffVersion>> versions(BearerToken token) {
    List<TariffVersion> all = new ArrayList<>();
    Tagged<Page> page;
    String cursor = "";
    do {
      page =
          peer.getTagged("/tariffs?limit=" + PAGE + "&cursor=" + encode(cursor), token, Page.class);
      all.addAll(page.value().tariffs());
      cursor = page.value().next() == null ? "" : page.value().next();
    } while (!cursor.isEmpty());
    return new Tagged<>(List.copyOf(all), page.tag());
  }

  public TariffVersion version(BearerToken token, int version) {
    return peer.get("/tariffs/" + version, token, TariffVersion.class);
  }

  /// Returns the differences between two versions.
  public List<TariffChange> diff(BearerToken token, int from, int to) {
    return diff(token, Map.of("from", from, "to", to));
  }

  /// Returns the differences between a version and a draft.
  public List<TariffChange> diff(BearerToken token, int from, JsonNode draft) {
    return diff(token, Map.of("from", from, "tariff", draft));
  }

  private List<TariffChange> diff(BearerToken token, Map<String, ?> wanted) {
    return peer.post("/tariffs/diff", authorized(token), wanted, TariffChange.All.class).changes();
  }

  /// Asks billing whether it would accept a document.
  ///
  /// @return the refusal with its place and knot; empty if it is valid
  public Optional<PeerRefusedException> check(BearerToken token, JsonNode document) {
    try {
      peer.post("/tariffs/check", authorized(token), Map.of("tariff", document), JsonNode.class);
      return Optional.empty();
    } catch (PeerRefusedException e) {
      if (e.status() != REFUSED) {
        throw e;
      }
      return Optional.of(e);
    }
  }

  /// Stores a version, unless another one was stored since the list was read.
  ///
  /// @param tag tag of the list
  /// @param from start of its validity; null for now
  public TariffVersion publish(
      BearerToken token, String tag, JsonNode document, @Nullable Instant from) {
    Map<String, Object> wanted = new HashMap<>();
    wanted.put("tariff", document);
    if (from != null) {
      wanted.put("effectiveFrom", from.toString());
    }
    return peer.replace(HttpMethod.POST, "/tariffs", token, tag, wanted, TariffVersion.class)
        .value();
  }

  /// Tries a document on a time that is over.
  ///
  /// @param from null for yesterday's start (UTC); likewise `to` for a day
  public TariffTrial simulate(
      BearerToken token, JsonNode document, @Nullable Instant from, @Nullable Instant to) {
    return peer.post(
        "/tariffs/simulate",
        authorized(token),
        trial(document, from, to),
        TariffTrial.class,
        TRIAL_PATIENCE);
  }

  private static Map<String, Object> trial(
      JsonNode document, @Nullable Instant from, @Nullable Instant to) {
    Map<String, Object> wanted = new HashMap<>();
    wanted.put("tariff", document);
    if (from != null) {
      wanted.put("from", from.toString());
    }
    if (to != null) {
      wanted.put("to", to.toString());
    }
    return wanted;
  }

  /// Begins the same in the background, without billing's bounds.
  ///
  /// @param name of the draft
  TrialRun beginTrial(
      BearerToken token,
      String name,
      JsonNode document,
      @Nullable Instant from,
      @Nullable Instant to) {
    Map<String, Object> wanted = trial(document, from, to);
    wanted.put("name", name);
    return peer.post(TRIALS, authorized(token), wanted, TrialRun.class);
  }

  /// The latest trials in the background, latest first.
  List<TrialRun> trials(BearerToken token, int limit) {
    return peer.get(TRIALS + "?limit=" + limit, token, TrialRun.All.class).runs();
  }

  TrialRun trial(BearerToken token, String id) {
    return peer.get(TRIALS + "/" + encode(id), token, TrialRun.class);
  }

  TrialRun stopTrial(BearerToken token, String id) {
    return peer.post(
        TRIALS + "/" + encode(id) + "/stop", authorized(token), Map.of(), TrialRun.class);
  }

  public List<TariffDraft> drafts(BearerToken token) {
    return peer.get("/tariff-drafts", token, TariffDraft.All.class).drafts();
  }

  public Tagged<TariffDraft> draft(BearerToken token, String id) {
    return peer.getTagged(at(id), token, TariffDraft.class);
  }

  public TariffDraft begin(BearerToken token, String name, int basedOn) {
    return peer.post(
        "/tariff-drafts",
        authorized(token),
        Map.of("name", name, "basedOn", basedOn),
        TariffDraft.class);
  }

  /// @param tag tag of the draft as it was read
  /// @return the draft with its new tag
  public Tagged<TariffDraft> save(
      BearerToken token, String id, String tag, String name, JsonNode document) {
    return peer.replace(
        HttpMethod.PUT,
        at(id),
        token,
        tag,
        Map.of("name", name, "tariff", document),
        TariffDraft.class);
  }

  public void delete(BearerToken token, String id) {
    peer.delete(at(id), token);
  }

  private static String at(String id) {
    return "/tariff-drafts/" + encode(id).replace("+", "%20").replace(".", "%2E");
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
