package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffDrafts;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/// Serves the drafts of tariffs. An operator sees the own ones only. A draft may break every rule
/// of a tariff; an entity tag protects it from two windows of its author.
@RestController
@RequestMapping("/api/v1/tariff-drafts")
@Tag(name = "tariffs")
class TariffDraftsResource {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int NAME_MAX = 64;

  private final TariffDrafts drafts;
  private final TariffBook tariffs;
  private final InstantSource clock;

  TariffDraftsResource(TariffDrafts drafts, TariffBook tariffs, InstantSource clock) {
    this.drafts = drafts;
    this.tariffs = tariffs;
    this.clock = clock;
  }

  record NewDraft(String name, int basedOn) {
    NewDraft {
      JsonBody.require("name", name);
    }
  }

  record DraftChange(String name, Map<String, Object> tariff) {
    DraftChange {
      JsonBody.require("name", name);
      JsonBody.require("tariff", tariff);
    }
  }

  record DraftRow(String id, String name, @Nullable Integer basedOn, Instant changedAt) {
    static DraftRow of(TariffDrafts.Draft draft) {
      return new DraftRow(
          Long.toString(draft.id()), draft.name(), draft.basedOn(), draft.changedAt());
    }
  }

  record DraftList(List<DraftRow> drafts, int draftsMax) {}

  record DraftView(
      String id,
      String name,
      @Nullable Integer basedOn,
      Instant changedAt,
      Map<String, Object> tariff) {
    @SuppressWarnings("unchecked")
    static DraftView of(TariffDrafts.Draft draft) {
      return new DraftView(
          Long.toString(draft.id()),
          draft.name(),
          draft.basedOn(),
          draft.changedAt(),
          JSON.readValue(draft.document(), Map.class));
    }
  }

  @GetMapping
  @Operation(summary = "The caller's drafts, latest change first", operationId = "listDrafts")
  DraftList list(@AuthenticationPrincipal Caller caller) {
    return new DraftList(
        drafts.of(caller.account()).stream().map(DraftRow::of).toList(), TariffDrafts.DRAFTS_MAX);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.TOO_MANY_DRAFTS})
  @Tagged
  @PostMapping
  @Operation(
      summary = "Begin a draft as a copy of a version",
      operationId = "addDraft",
      responses = @ApiResponse(responseCode = "201", description = "Begun"))
  ResponseEntity<DraftView> add(
      @AuthenticationPrincipal Caller caller, @RequestBody NewDraft wanted) {
    String document =
        tariffs.versions().stream()
            .filter(version -> version.version() == wanted.basedOn())
            .findFirst()
            .map(version -> TariffDocument.print(version.tariff()))
            .orElseThrow(ProblemException::notFound);
    TariffDrafts.Draft draft =
        drafts
            .add(caller.account(), name(wanted.name()), document, wanted.basedOn(), clock.instant())
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.TOO_MANY_DRAFTS,
                    "an operator may have %d drafts: delete one first"
                        .formatted(TariffDrafts.DRAFTS_MAX)));
    return ResponseEntity.status(HttpStatus.CREATED)
        .eTag(EntityTag.of(draft.version()))
        .body(DraftView.of(draft));
  }

  @Refuses({ProblemType.NOT_FOUND})
  @Tagged
  @GetMapping("/{id}")
  @Operation(summary = "One draft of the caller", operationId = "getDraft")
  ResponseEntity<DraftView> get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    TariffDrafts.Draft draft = own(caller, OperatorDecision.id(id));
    return ResponseEntity.ok().eTag(EntityTag.of(draft.version())).body(DraftView.of(draft));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PutMapping("/{id}")
  @Operation(
      summary = "Replace a draft, valid or not; it is not checked",
      operationId = "saveDraft")
  ResponseEntity<DraftView> save(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody DraftChange wanted) {
    long number = OperatorDecision.id(id);
    own(caller, number);
    if (!drafts.save(
        caller.account(),
        number,
        EntityTag.required(version),
        name(wanted.name()),
        JSON.writeValueAsString(wanted.tariff()),
        clock.instant())) {
      throw new ProblemException(
          ProblemType.CHANGED_MEANWHILE,
          "the draft has been changed since, in another window: read it again");
    }
    return get(caller, id);
  }

  @Refuses({ProblemType.NOT_FOUND})
  @DeleteMapping("/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(summary = "Delete a draft of the caller", operationId = "deleteDraft")
  void delete(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    if (!drafts.delete(caller.account(), OperatorDecision.id(id))) {
      throw ProblemException.notFound();
    }
  }

  private TariffDrafts.Draft own(Caller caller, long id) {
    return drafts.find(caller.account(), id).orElseThrow(ProblemException::notFound);
  }

  private static String name(String name) {
    if (name.isBlank()) {
      throw ProblemException.invalid("name must have 1 to 64 characters: it is empty");
    }
    return PlainText.require("name", name.strip(), NAME_MAX);
  }
}
