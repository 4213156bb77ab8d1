create table schema_version (version integer primary key);
insert into schema_version values (6);
create table sessions (id text primary key, name text, session_type text, working_dir text, created_at text, updated_at text, parent_session_id text, model_config_json text, input_tokens integer, output_tokens integer, accumulated_input_tokens integer, accumulated_output_tokens integer);
create table messages (id integer primary key, message_id text, session_id text, role text, content_json text, created_timestamp integer, metadata_json text);
insert into sessions values ('20260302_1', 'Kiln', 'user', '/srv/pottery', '2026-03-02 09:00:00', '2026-03-02 09:05:00', null, '{"model_name": "glaze-2", "context_limit": 128000}', 700, 30, 5000, 400);
insert into sessions values ('20260302_2', 'Kiln', 'user', '/srv/pottery', '2026-03-02 09:00:00', '2026-03-02 09:05:00', null, '{"model_name": "glaze-2", "context_limit": 128000}', 700, 30, null, null);
insert into sessions values ('20260302_3', 'Kiln', 'user', '/srv/pottery', '2026-03-02 09:00:00', '2026-03-02 09:05:00', null, '{"model_name": "glaze-2", "context_limit": 128000}', null, null, null, null);
insert into messages values (1, 'm1', '20260302_1', 'user', '[{"type": "text", "text": "Fire it."}]', 1772442001, null);
insert into messages values (2, 'm2', '20260302_1', 'assistant', '[{"type": "text", "text": "Lit."}]', 1772442002, null);
